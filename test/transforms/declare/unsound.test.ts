import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { content, type Exclusion } from '../../../transforms/declare/content.ts'
import {
  type Field,
  type FieldsOf,
  optional,
  references,
  required,
  uniqueId,
} from '../../../transforms/declare/field.ts'
import { type ColumnOf, EXACT_KEYS, type Resource, resource } from '../../../transforms/declare/resource.ts'
import { source } from '../../../transforms/declare/source.ts'
import { attendees } from '../../../transforms/source-a/attendees.ts'
import { rooms, sessions, users } from '../../../transforms/source-a/resources.ts'

const user = users.columns
const clause = '2.4.1'

/**
 * Declares the content attendees with other fields than usual. If the value of a field is undefined, the
 * field is removed. The compiler refuses most of the declarations in these tests.
 */
function declare(
  others: Readonly<Record<string, Field | undefined>>,
  exclude: readonly Exclusion<unknown>[] = [],
  beside: readonly Resource[] = [],
  idColumn: ColumnOf<string, string> = users.id,
) {
  const fields = { ...attendees.fields, ...others }
  const given = Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined))
  const id = uniqueId({ column: idColumn }, clause, '')
  return () =>
    content('attendees', users, {
      alias: 'user',
      uniqueId: id,
      fields: given as FieldsOf<'attendees'>,
      exclude,
      beside,
    })
}

test.each<[Readonly<Record<string, Field | undefined>>, string]>([
  [
    { companny: optional(user.company, clause) },
    'attendees has no platform field "companny"; a field of your own is configured under "fields"',
  ],
  [{ firstName: undefined }, 'attendees lacks "firstName", without which there is no item'],
  [
    { firstName: optional(user.first_name, clause) },
    'firstName of attendees must be required: there is no item without it',
  ],
  [
    { company: references({ content: 'agenda', from: user.speaking_at }, clause, '') },
    'company of attendees is declared as "ids of agenda" and must be "text"',
  ],
  [
    { company: required(rooms.columns.name, clause) },
    'company of attendees is made of staging.a_rooms.name, whose resource is not among its records, "lookups" and "beside"',
  ],
  [
    { personalAgenda: references({ content: 'agenda', from: sessions.columns.link_urls }, clause, '') },
    'personalAgenda of attendees is made of staging.a_sessions.link_urls, which must be a column of ids: their length is bounded',
  ],
])('an unsound declaration is refused with one sentence when it is made: %j', (others, sentence) => {
  expect(declare({})).not.toThrow()
  expect(declare(others)).toThrow(new Error(sentence))
})

test('the unique ID must be the id of the record', () => {
  expect(declare({}, [], [], rooms.id)).toThrow(
    'attendees must have the id of the record, staging.a_users.source_id, as its unique ID, and has staging.a_rooms.source_id',
  )
})

test('a field may use records of resources that are declared in addition to the joined resources', () => {
  expect(declare({ company: optional(rooms.columns.name, clause) }, [], [rooms])).not.toThrow()
})

test('a content uses each reason once, because a second exclusion would be explained like the first', () => {
  const words = { why: '', todo: '', columns: [] }
  const cancelled: Exclusion<unknown> = { reason: 'cancelled', when: () => sql`true`, ...words }
  expect(declare({}, [cancelled])).not.toThrow()
  expect(declare({}, [cancelled, cancelled])).toThrow(
    'attendees has the reason "cancelled" twice; make one exclusion of them',
  )
})

test('a source must declare every resource that its contents and people use', () => {
  const made = (resources: readonly Resource[], records: Resource = users) => {
    return () => source({ resources, contents: [attendees], people: { records, address: null }, fillIn: '' })
  }
  const others = resource('others', 'a_others', EXACT_KEYS, users.id, users.columns)
  expect(made([users])).not.toThrow()
  expect(made([])).toThrow('attendees is made of users, which is not among the resources of its source')
  expect(made([users], others)).toThrow(
    'its people are others, which is not among the resources of the source',
  )
})

test('a value that is not a column is refused in a field, and the message shows what a column looks like', () => {
  const noColumn = (value: unknown) => () => optional(value as ColumnOf<string, string>, clause)
  const message = 'instead of a column of a resource, such as rooms.columns.name and not rooms.name'
  expect(noColumn(rooms.name)).toThrow(`a field or a condition has string ${message}`)
  expect(noColumn(undefined)).toThrow(`a field or a condition has undefined ${message}`)
})
