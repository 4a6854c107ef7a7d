import type { Excluded, Grounds, StagedRecords } from '../source-grounds.ts'
import type { StagedColumn } from '../source-lineage.ts'
import type { OptionsB } from './options.ts'

const ofSession = (column: string): StagedColumn => ['staging.b_sessions', column]
const ofRegistrant = (column: string): StagedColumn => ['staging.b_registrants', column]

/** Required fields, and what is missing where they are. */
const MISSING: Readonly<Record<string, Grounds>> = {
  name: {
    why: 'A session needs a name, and this one has none.',
    todo: 'Give it a name at the source.',
    columns: [ofSession('name')],
  },
  startTime: {
    why: 'A session needs a start, and this one has no date or no start time.',
    todo: 'Give it both at the source.',
    columns: [ofSession('start_time')],
  },
  endTime: {
    why: 'A session needs an end, and this one has no end time.',
    todo: 'Give it one at the source.',
    columns: [ofSession('end_time')],
  },
  firstName: {
    why: 'The first name is required, and the source gives none.',
    todo: 'Fill it in at the source.',
    columns: [ofRegistrant('first_name')],
  },
  lastName: {
    why: 'The last name is required, and the source gives none.',
    todo: 'Fill it in at the source.',
    columns: [ofRegistrant('last_name')],
  },
  emailAddress: {
    why: 'The e-mail address is required of an attendee, and the source gives none.',
    todo: 'Fill it in at the source, or name the key that holds it in source.fields.email.',
    columns: [ofRegistrant('email')],
  },
}

/** Why a record of Source B is not synced. Source: spec-gaps, "Decisions". */
export function groundsOfB({ content, reason, records }: Excluded, options: OptionsB): Grounds {
  if (reason === 'cancelled') return content === 'attendees' ? CANCELLED : CANCELLED_SPEAKER
  if (reason === 'not_a_speaker') return noSpeaker(options)
  if (reason === 'bad_time') return badTime(records)
  const missing = MISSING[reason.replace('missing_required:', '')]
  if (missing === undefined) throw new Error(`source b excludes nothing for ${reason}`)
  return missing
}

const CANCELLED: Grounds = {
  why: 'The registration is cancelled.',
  todo: 'Nothing, if that is right; else take the cancellation back at the source.',
  columns: [ofRegistrant('cancelled_at')],
}

const CANCELLED_SPEAKER: Grounds = {
  why: 'The registration is cancelled, and source.cancelledSpeakers: exclude leaves such speakers out.',
  todo: 'Nothing, if that is right; else take the cancellation back at the source, or keep such speakers.',
  columns: [ofRegistrant('cancelled_at')],
}

function noSpeaker({ speakerRegistrantType }: OptionsB): Grounds {
  return {
    why: `The registrant type is not "${speakerRegistrantType}", which makes a speaker (source.speakerRegistrantType).`,
    todo: 'If the registrant speaks, give the registrant that type at the source.',
    columns: [ofRegistrant('reg_type_id'), ['staging.b_reg_types', 'name']],
  }
}

function badTime({ 'staging.b_sessions': session }: StagedRecords): Grounds {
  const columns = [ofSession('start_time'), ofSession('end_time'), ofSession('time_zone')]
  const unreadable = (['start', 'end'] as const).filter(
    (end) => session?.[`${end}_time_status`] === 'unreadable',
  )
  if (unreadable.length === 0) {
    return { why: 'The end of the session is its start.', todo: 'Mend the times at the source.', columns }
  }
  return {
    why: `The ${unreadable.join(' and the ')} of the session cannot be read as a time.`,
    todo: 'Mend it at the source: date 2031-05-04, time 09:00, local to timezone or source.timeZone, and not in an hour that a clock change skips.',
    columns,
  }
}
