import type { Excluded, Grounds, StagedRecords } from '../source-grounds.ts'
import type { StagedColumn } from '../source-lineage.ts'
import type { OptionsA } from './options.ts'

const VISIBLE = 'if it is there, set it to View for Anonymous (Admin → Users → Profile Fields)'

const ofSession = (column: string): StagedColumn => ['staging.a_sessions', column]
const ofSlot = (column: string): StagedColumn => ['staging.a_time_slots', column]
const ofUser = (column: string): StagedColumn => ['staging.a_users', column]

/** Required fields, and what is missing where they are. */
const MISSING: Readonly<Record<string, Grounds>> = {
  name: {
    why: 'A session needs a name, and this one has no title.',
    todo: 'Give it a title at the source; if it has one, set Title to View (Admin → Sessions → Session Fields).',
    columns: [ofSession('title')],
  },
  firstName: {
    why: 'The first name is required, and the source gives none.',
    todo: `Fill it in at the source; ${VISIBLE}.`,
    columns: [ofUser('first_name')],
  },
  lastName: {
    why: 'The last name is required, and the source gives none.',
    todo: `Fill it in at the source; ${VISIBLE}.`,
    columns: [ofUser('last_name')],
  },
  emailAddress: {
    why: 'The e-mail address is required of an attendee, and the source gives none.',
    todo: `Fill it in at the source; ${VISIBLE}.`,
    columns: [ofUser('email_address')],
  },
  uniqueId: {
    why: 'A speaker needs an id, and the source gives this user none; only as an attendee does the e-mail address stand in.',
    todo: `See at the source why the user has no Id; ${VISIBLE}.`,
    columns: [ofUser('source_id')],
  },
}

/** Why a record of Source A is not synced. Source: spec-gaps, "Decisions". */
export function groundsOfA({ content, reason, records }: Excluded, options: OptionsA): Grounds {
  if (reason === 'not_published') return content === 'agenda' ? hidden(records, options) : PENDING
  if (reason === 'one_to_one_meeting') return ONE_TO_ONE
  if (reason === 'not_a_speaker') return NO_SPEAKER[options.speakers]
  if (reason === 'bad_time') return badTime(records)
  if (reason === 'missing_required:startTime') return missingTime(records, 'start')
  if (reason === 'missing_required:endTime') return missingTime(records, 'end')
  const missing = MISSING[reason.replace('missing_required:', '')]
  if (missing === undefined) throw new Error(`source a excludes nothing for ${reason}`)
  return missing
}

const PENDING: Grounds = {
  why: 'The user is still pending at the source, and so no speaker yet.',
  todo: 'Confirm the user at the source, or let pending users be speakers with source.includePending.',
  columns: [ofUser('is_pending')],
}

const ONE_TO_ONE: Grounds = {
  why: 'Its type is that of 1:1 meetings, which are not synced (spec 1.4).',
  todo: 'Nothing, if it is one; else give the session another type, or change source.oneToOneTypes.',
  columns: [ofSession('session_type_id'), ['staging.a_session_types', 'title']],
}

const NO_SPEAKER: Readonly<Record<OptionsA['speakers'], Grounds>> = {
  listed: {
    why: 'The user names no session in SpeakingAt, and no session that was read names the user in Speakers.',
    todo: 'If the user speaks, name the user as a speaker of the session at the source.',
    columns: [ofUser('speaking_at')],
  },
  role: {
    why: 'The Roles of the user do not name Speaker, which source.speakers: role asks for.',
    todo: 'If the user speaks, give the user the role Speaker at the source.',
    columns: [ofUser('has_speaker_role')],
  },
  both: {
    why: 'The user lacks the role Speaker or a session that names the user; source.speakers: both asks for the two.',
    todo: 'If the user speaks, see to both at the source.',
    columns: [ofUser('has_speaker_role'), ofUser('speaking_at')],
  },
}

function hidden({ 'staging.a_sessions': session }: StagedRecords, options: OptionsA): Grounds {
  const flags = options.includeHidden
    ? []
    : [
        ...(session?.enabled === false ? [['Enabled', 'enabled'] as const] : []),
        ...(session?.visible_to_anonymous_users === false
          ? [['VisibleToAnonymousUsers', 'visible_to_anonymous_users'] as const]
          : []),
      ]
  if (flags.length > 0) {
    return {
      why: `The session is not published: ${flags.map(([name]) => name).join(' and ')} ${flags.length > 1 ? 'are' : 'is'} false.`,
      todo: 'Publish it at the source, or sync hidden sessions too with source.includeHidden.',
      columns: flags.map(([, column]) => ofSession(column)),
    }
  }
  return {
    why: `Its status is none of those that are synced (source.sessionStatuses: ${(options.sessionStatuses ?? []).join(', ')}).`,
    todo: 'Give the session one of these at the source, or name its status in source.sessionStatuses.',
    columns: [ofSession('status')],
  }
}

function missingTime(records: StagedRecords, end: 'start' | 'end'): Grounds {
  const bySlot = ofSession('time_slot_id')
  if (records['staging.a_sessions']?.time_slot_id == null) {
    return {
      why: 'A session needs a time, and this one is in no time slot.',
      todo: 'Put the session into a time slot at the source.',
      columns: [bySlot],
    }
  }
  if (records['staging.a_time_slots'] === undefined) {
    return {
      why: 'A session needs a time, and the time slot that this one names is not at the source.',
      todo: 'Put the session into a time slot that is there.',
      columns: [bySlot],
    }
  }
  return {
    why: `The time slot of the session has no ${end}.`,
    todo: `Give the time slot ${end === 'start' ? 'a start' : 'an end'} at the source.`,
    columns: [bySlot, ofSlot(`${end}_time`)],
  }
}

function badTime({ 'staging.a_time_slots': slot }: StagedRecords): Grounds {
  const columns = [ofSession('time_slot_id'), ofSlot('start_time'), ofSlot('end_time')]
  const unreadable = (['start', 'end'] as const).filter(
    (end) => slot?.[`${end}_time_status`] === 'unreadable',
  )
  if (unreadable.length === 0) {
    return {
      why: 'The end of its time slot is not after the start.',
      todo: 'Mend the time slot at the source.',
      columns,
    }
  }
  return {
    why: `The ${unreadable.join(' and the ')} of its time slot cannot be read as a time.`,
    todo: 'Mend the time slot at the source: 2031-05-04T09:00 with an offset, or else local to source.timeZone and not in an hour that a clock change skips.',
    columns,
  }
}
