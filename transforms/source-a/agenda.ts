import { sql } from 'kysely'
import { badTime } from '../declare/bad-time.ts'
import { content } from '../declare/content.ts'
import {
  computed,
  type ExclusionReason,
  HTML,
  instant,
  optional,
  references,
  required,
  SIGNED,
  type StagedRecords,
  uniqueId,
} from '../declare/field.ts'
import type { ColumnOf, RecordContext } from '../declare/resource.ts'
import { foldTitle } from '../rules/one-to-one.ts'
import type { OptionsA } from './options.ts'
import { rooms, sessions, sessionTypes, timeSlots, tracks } from './resources.ts'

const session = sessions.columns
const slot = timeSlots.columns
const [room, track, type] = [rooms.columns, tracks.columns, sessionTypes.columns]
const bySlot = { column: session.time_slot_id }

const LINKS = `The http(s) addresses in Links, in the order of the source, without repeats. ${SIGNED}`

/** The agenda of Source A, made from sessions and their time slots, rooms, tracks and types. */
export const agenda = content<OptionsA>('agenda', sessions, {
  alias: 'session',
  lookups: {
    slot: { resource: timeSlots, by: session.time_slot_id },
    room: { resource: rooms, by: session.room_id, dangling: 'location' },
    track: { resource: tracks, by: session.track_id, dangling: 'sessionTracks' },
    type: { resource: sessionTypes, by: session.session_type_id, dangling: 'subFilters' },
  },
  uniqueId: uniqueId({ column: sessions.id }, '2.2.11'),
  fields: {
    name: required(session.title, '2.2.1', {
      why: 'A session needs a name, and this one has no title.',
      todo: 'Give it a title at the source; if it has one, set Title to View (Admin → Sessions → Session Fields).',
    }),
    startTime: instant(
      slot.start_time,
      '2.2.2',
      "The start of the session's time slot in UTC. The start is read from EventTime with an offset, otherwise from UTC, otherwise from EventTime as local time in source.timeZone.",
      { from: [bySlot, { column: slot.start_time }], missing: missingTime('start') },
    ),
    endTime: instant(
      slot.end_time,
      '2.2.3',
      "The end of the session's time slot in UTC, read in the same way as the start. The end must be after the start.",
      { also: [bySlot], missing: missingTime('end') },
    ),
    description: optional(session.description, '2.2.4', HTML),
    location: computed(
      '2.2.5',
      "Location and name of the session's room, joined with source.locationSeparator. If one of the two is blank, or if both are equal, the field has only one text.",
      {
        from: [{ column: session.room_id }, { column: room.location }, { column: room.name }],
        value: location,
      },
    ),
    sessionTracks: computed('2.2.6', "A list with one element: the title of the session's track.", {
      isList: true,
      from: [{ column: session.track_id }, { column: track.title }],
      value: listOfOne(track.title),
    }),
    filterGroup: computed(
      '2.2.7',
      'The text "Types" if the session has a sub-filter; otherwise the field is left out.',
      {
        also: [{ column: session.session_type_id }, { column: type.title }],
        value: ({ at }) => sql`case when ${at(type.title)} is not null then 'Types' end`,
      },
    ),
    subFilters: computed(
      '2.2.8',
      "A list with one element: the title of the session's type or, if it has no title, its name.",
      {
        isList: true,
        from: [{ column: session.session_type_id }, { column: type.title }],
        value: listOfOne(type.title),
      },
    ),
    speakerIds: references(
      { content: 'speakers', from: session.speaker_ids },
      '2.2.9',
      'The ids in Speakers, without speakers that are not synced. Ids that SpeakerOrder names come first, in the order of SpeakerOrder.',
    ),
    linkUrls: optional(session.link_urls, '2.2.10', LINKS),
  },
  exclude: [
    {
      reason: 'not_published',
      isAttested: true,
      when({ at, options: { includeHidden, sessionStatuses } }) {
        const hidden = sql`${at(session.enabled)} = false or ${at(session.visible_to_anonymous_users)} = false`
        const status = at(session.status)
        const conditions = [
          ...(includeHidden ? [] : [hidden]),
          ...(sessionStatuses
            ? [sql`${status} is null or ${status} not in (${sql.join(sessionStatuses)})`]
            : []),
        ]
        return conditions.length === 0 ? null : sql`(${sql.join(conditions, sql` or `)})`
      },
      explanation: hidden,
    },
    {
      reason: 'one_to_one_meeting',
      isAttested: true,
      when: ({ at, options: { oneToOneTypes } }) =>
        oneToOneTypes.length === 0
          ? null
          : sql`${at(type.title_folded)} in (${sql.join(oneToOneTypes.map(foldTitle))})`,
      why: 'Its type is that of 1:1 meetings, which are not synced (spec 1.4).',
      todo: 'Nothing, if it is one; otherwise give the session another type, or change source.oneToOneTypes.',
      columns: [session.session_type_id, type.title],
    },
  ],
  excludeLast: [
    badTime(
      slot.start_time,
      slot.end_time,
      'its time slot',
      'Fix the time slot at the source: write times as 2031-05-04T09:00, with an offset or local to source.timeZone.',
      {
        why: 'The end of its time slot is not after the start.',
        todo: 'Fix the time slot at the source.',
        columns: [session.time_slot_id, slot.start_time, slot.end_time],
      },
    ),
  ],
})

function location({ at, options }: RecordContext<OptionsA>) {
  return sql`case when ${at(room.location)} = ${at(room.name)} then ${at(room.name)}
          else nullif(concat_ws(${options.locationSeparator}, ${at(room.location)}, ${at(room.name)}), '') end`
}

function listOfOne(column: ColumnOf) {
  return ({ at }: RecordContext) =>
    sql`case when ${at(column)} is not null then jsonb_build_array(${at(column)}) end`
}

function hidden(records: StagedRecords, options: OptionsA): ExclusionReason {
  const staged: Readonly<Record<string, unknown>> | undefined = records[sessions.table]
  const flags = [session.enabled, session.visible_to_anonymous_users].filter(
    ({ name }) => !options.includeHidden && staged?.[name] === false,
  )
  if (flags.length > 0) {
    const names = flags.flatMap(({ keys }) => keys).join(' and ')
    return {
      why: `The session is not published: ${names} ${flags.length > 1 ? 'are' : 'is'} false.`,
      todo: 'Publish it at the source, or sync hidden sessions too with source.includeHidden.',
      columns: flags,
    }
  }
  return {
    why: `Its status is not one of those that are synced (source.sessionStatuses: ${(options.sessionStatuses ?? []).join(', ')}).`,
    todo: 'Give the session one of these at the source, or name its status in source.sessionStatuses.',
    columns: [session.status],
  }
}

function missingTime(end: 'start' | 'end') {
  return (records: StagedRecords): ExclusionReason => {
    const columns = [session.time_slot_id]
    if (records[sessions.table]?.time_slot_id == null) {
      const why = 'A session needs a time, and this one is in no time slot.'
      return { why, todo: 'Put the session into a time slot at the source.', columns }
    }
    if (records[timeSlots.table] === undefined) {
      const why = 'A session needs a time, and the time slot that this one names is not at the source.'
      return { why, todo: 'Put the session into a time slot that exists.', columns }
    }
    return {
      why: `The time slot of the session has no ${end}.`,
      todo: `Give the time slot ${end === 'start' ? 'a start' : 'an end'} at the source.`,
      columns: [...columns, slot[`${end}_time`]],
    }
  }
}
