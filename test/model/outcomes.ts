import type { Decision } from './model-items.ts'
import { declare, type Tally } from './tally.ts'

/** Platform fields that are read from text, by source and content. */
const TEXTS = {
  'a agenda': [
    'name',
    'startTime',
    'endTime',
    'description',
    'location',
    'sessionTracks',
    'subFilters',
    'speakerIds',
    'linkUrls',
  ],
  'a speakers': [
    'firstName',
    'lastName',
    'title',
    'company',
    'description',
    'imageUrl',
    'sessionIds',
    'facebookUrl',
    'linkedinUrl',
  ],
  'a attendees': ['firstName', 'lastName', 'emailAddress', 'title', 'company'],
  'b agenda': ['name', 'startTime', 'endTime', 'description'],
  'b speakers': ['firstName', 'lastName', 'title', 'company', 'description', 'sessionIds', 'twitter'],
  'b attendees': [
    'firstName',
    'lastName',
    'emailAddress',
    'title',
    'company',
    'biography',
    'phone',
    'personalAgenda',
  ],
} as const

const OTHER_MARKS = {
  'a agenda': [
    'ambiguous_time:startTime',
    'ambiguous_time:endTime',
    'dangling_reference:location',
    'dangling_reference:sessionTracks',
    'dangling_reference:subFilters',
    'left_out:linkUrls',
    'left_out:speakerIds',
    'not_synced:speakerIds',
  ],
  'a speakers': [
    'left_out:imageUrl',
    'left_out:facebookUrl',
    'left_out:linkedinUrl',
    'left_out:sessionIds',
    'not_synced:sessionIds',
    'not_synced:attendeeId',
  ],
  'a attendees': [],
  'b agenda': ['ambiguous_time:startTime', 'ambiguous_time:endTime'],
  'b speakers': ['left_out:twitter', 'left_out:sessionIds', 'not_synced:sessionIds', 'not_synced:attendeeId'],
  'b attendees': ['not_synced:personalAgenda', 'left_out:personalAgenda'],
} as const

const REASONS = {
  'a agenda': [
    'invalid_record',
    'duplicate_id',
    'not_published',
    'one_to_one_meeting',
    'missing_required:name',
    'missing_required:startTime',
    'missing_required:endTime',
    'bad_time',
  ],
  'a speakers': [
    'invalid_record',
    'duplicate_id',
    'not_a_speaker',
    'not_published',
    'missing_required:firstName',
    'missing_required:lastName',
    'missing_required:uniqueId',
  ],
  'a attendees': [
    'invalid_record',
    'duplicate_id',
    'missing_required:firstName',
    'missing_required:lastName',
    'missing_required:emailAddress',
  ],
  'b agenda': [
    'invalid_record',
    'duplicate_id',
    'missing_required:name',
    'missing_required:startTime',
    'missing_required:endTime',
    'bad_time',
  ],
  'b speakers': [
    'invalid_record',
    'duplicate_id',
    'cancelled',
    'not_a_speaker',
    'missing_required:firstName',
    'missing_required:lastName',
  ],
  'b attendees': [
    'invalid_record',
    'duplicate_id',
    'cancelled',
    'missing_required:firstName',
    'missing_required:lastName',
    'missing_required:emailAddress',
  ],
} as const

const LISTS: readonly string[] = ['speakerIds', 'linkUrls', 'sessionIds', 'personalAgenda']

for (const [place, fields] of Object.entries(TEXTS)) {
  for (const field of fields) {
    // A list has elements that are left out; it is not text itself.
    if (!LISTS.includes(field)) declare(`mark, ${place}: not_text:${field}`)
    declare(`mark, ${place}: unsupported_character:${field}`)
  }
}
for (const [place, marks] of Object.entries(OTHER_MARKS))
  for (const mark of marks) declare(`mark, ${place}: ${mark}`)
for (const [place, reasons] of Object.entries(REASONS)) {
  declare(`reason, ${place}: synced`)
  for (const reason of reasons) declare(`reason, ${place}: ${reason}`)
}
for (const action of ['create', 'update', 'remove', 'unchanged', 'kept']) {
  for (const place of Object.keys(REASONS)) {
    declare(`action, ${place}: ${action}`)
  }
}

/** Counts reasons and marks as the model foretold them. */
export function countOutcomes(tally: Tally, source: string, decisions: readonly Decision[]): void {
  for (const { content, reason, detail } of decisions) {
    tally.count(`reason, ${source} ${content}: ${reason ?? 'synced'}`)
    for (const mark of detail === '' ? [] : detail.split('; ')) {
      tally.count(`mark, ${source} ${content}: ${mark.replace(/=\d+$/, '')}`)
    }
  }
}
