import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { content, type Exclusion, type Lookup } from '../../../transforms/declare/content.ts'
import {
  computed,
  counterpart,
  type FieldsOf,
  instant,
  optional,
  references,
  required,
  uniqueId,
} from '../../../transforms/declare/field.ts'
import type { OptionsA } from '../../../transforms/source-a/options.ts'
import { rooms, sessions, timeSlots, users } from '../../../transforms/source-a/resources.ts'

const [session, slot, user] = [sessions.columns, timeSlots.columns, users.columns]
const clause = '2.2.1'
const person = { firstName: required(user.first_name, clause), lastName: required(user.last_name, clause) }
const event = {
  name: required(session.title, clause),
  startTime: instant(slot.start_time, clause, ''),
  endTime: instant(slot.end_time, clause, ''),
}

test('a field of the wrong type, or a field that the platform does not have, does not compile', () => {
  const attendee: FieldsOf<'attendees'> = {
    ...person,
    emailAddress: required(user.email_address, clause),
    // @ts-expect-error misspelt field
    companny: optional(user.company, clause),
  }
  const item: FieldsOf<'agenda'> = {
    ...event,
    // @ts-expect-error a time must not be made from a text
    startTime: required(session.title, clause),
    // @ts-expect-error a list must not be made from a text
    linkUrls: optional(session.description, clause),
    // @ts-expect-error a computed list must be declared as a list
    sessionTracks: computed(clause, '', { value: ({ at }) => at(session.title) }),
    // @ts-expect-error ids must be references to a content
    speakerIds: optional(session.speaker_ids, clause),
  }
  const other: FieldsOf<'agenda'> = {
    ...event,
    // @ts-expect-error these ids refer to the wrong content
    speakerIds: references({ content: 'agenda', from: session.speaker_ids }, clause, ''),
  }
  expect([attendee, item, other]).toHaveLength(3)
})

test('an item does not compile if a required field is missing or may be absent', () => {
  // @ts-expect-error no e-mail address
  const lacking: FieldsOf<'attendees'> = person
  const optionally: FieldsOf<'attendees'> = {
    ...person,
    // @ts-expect-error not required
    emailAddress: optional(user.email_address, clause),
  }
  expect([lacking, optionally]).toHaveLength(2)
})

test('a column of the wrong type, or a column that does not exist, does not compile', () => {
  const wrong = () => [
    // @ts-expect-error misspelt column
    optional(user.frist_name, clause),
    // @ts-expect-error a flag is not a text
    optional(session.enabled, clause),
    // @ts-expect-error a text is not an instant
    instant(session.title, clause, ''),
    // @ts-expect-error a text is not a list of ids
    references({ content: 'speakers', from: session.title }, clause, ''),
    // @ts-expect-error no such content
    counterpart('attendee', clause, '', { column: users.id }),
  ]
  expect(wrong).toBeTypeOf('function')
})

test('an option, reason, lookup field or content that does not exist does not compile', () => {
  const none = { why: '', todo: '', columns: [] }
  const exclusions: readonly Exclusion<OptionsA>[] = [
    // @ts-expect-error misspelt option
    { reason: 'cancelled', when: ({ options }) => (options.includeHiden ? null : sql`true`), ...none },
    // @ts-expect-error misspelt reason
    { reason: 'canceled', when: () => sql`true`, ...none },
  ]
  const lookups: readonly Lookup<'location'>[] = [
    // @ts-expect-error misspelt field
    { resource: rooms, by: session.room_id, dangling: 'locaton' },
    // @ts-expect-error a flag is not an id
    { resource: rooms, by: session.enabled },
  ]
  const declaration = {
    alias: 'session',
    uniqueId: uniqueId({ column: sessions.id }, clause, ''),
    fields: event,
  }
  // @ts-expect-error misspelt content
  const made = () => content('agnda', sessions, declaration)
  expect([exclusions, lookups, made]).toHaveLength(3)
})
