import { declare, type Tally } from '../../harness/tally.ts'
import type { Decision } from './model-items.ts'

/** The field names, warnings and reasons that a decision can contain, by source and content. */
interface Sayings {
  /** Names of the platform fields that are read from text. */
  readonly texts: string
  /** Warnings that can occur in addition to the warnings for every text. */
  readonly marks: string
  /** Reasons that can occur in addition to the reasons of every content. */
  readonly reasons: string
}

const SAYINGS: Readonly<Record<string, Sayings>> = {
  'a agenda': {
    texts: 'name startTime endTime description location sessionTracks subFilters speakerIds linkUrls',
    marks: `ambiguous_time:startTime ambiguous_time:endTime skipped_time:startTime skipped_time:endTime
      dangling_reference:location
      dangling_reference:sessionTracks dangling_reference:subFilters left_out:linkUrls left_out:speakerIds
      not_synced:speakerIds left_out:Enabled left_out:VisibleToAnonymousUsers`,
    reasons: `not_published one_to_one_meeting missing_required:name missing_required:startTime
      missing_required:endTime bad_time`,
  },
  'a speakers': {
    texts: 'firstName lastName title company description imageUrl sessionIds facebookUrl linkedinUrl',
    marks: `left_out:imageUrl left_out:facebookUrl left_out:linkedinUrl left_out:sessionIds not_synced:sessionIds
      not_synced:attendeeId left_out:IsPending`,
    reasons: `not_a_speaker not_published missing_required:firstName missing_required:lastName
      missing_required:uniqueId`,
  },
  'a attendees': {
    texts: 'firstName lastName emailAddress title company',
    marks: '',
    reasons: 'missing_required:firstName missing_required:lastName missing_required:emailAddress',
  },
  'b agenda': {
    texts: 'name startTime endTime description',
    marks: `ambiguous_time:startTime ambiguous_time:endTime skipped_time:startTime skipped_time:endTime
      unknown_zone:startTime unknown_zone:endTime`,
    reasons: 'missing_required:name missing_required:startTime missing_required:endTime bad_time',
  },
  'b speakers': {
    texts: 'firstName lastName title company description sessionIds twitter',
    marks: 'left_out:twitter left_out:sessionIds not_synced:sessionIds not_synced:attendeeId',
    reasons: 'cancelled not_a_speaker missing_required:firstName missing_required:lastName',
  },
  'b attendees': {
    texts: 'firstName lastName emailAddress title company biography phone personalAgenda',
    marks: 'not_synced:personalAgenda left_out:personalAgenda',
    reasons: 'cancelled missing_required:firstName missing_required:lastName missing_required:emailAddress',
  },
}

const LISTS: readonly string[] = ['speakerIds', 'linkUrls', 'sessionIds', 'personalAgenda']

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

for (const [place, { texts, marks, reasons }] of Object.entries(SAYINGS)) {
  for (const field of words(texts)) {
    // A list as a whole cannot get the warning `not_text`; only its elements can be left out.
    if (!LISTS.includes(field)) declare(`mark, ${place}: not_text:${field}`)
    declare(`mark, ${place}: unsupported_character:${field}`)
  }
  for (const mark of words(marks)) declare(`mark, ${place}: ${mark}`)
  const ofAll = ['synced', 'invalid_record', 'duplicate_id', 'suppressed', 'excluded_by_rule']
  for (const reason of [...ofAll, ...words(reasons)]) declare(`reason, ${place}: ${reason}`)
  for (const action of ['create', 'update', 'remove', 'unchanged', 'kept'])
    declare(`action, ${place}: ${action}`)
}

/** Counts the reasons and warnings that the model expects. */
export function countOutcomes(tally: Tally, source: string, decisions: readonly Decision[]): void {
  for (const { content, reason, detail } of decisions) {
    // The reason of a configured rule is counted without the rule's name.
    const kind = (reason ?? 'synced').replace(/^excluded_by_rule:.*/, 'excluded_by_rule')
    tally.count(`reason, ${source} ${content}: ${kind}`)
    for (const mark of detail === '' ? [] : detail.split('; ')) {
      tally.count(`mark, ${source} ${content}: ${mark.replace(/=\d+$/, '')}`)
    }
  }
}
