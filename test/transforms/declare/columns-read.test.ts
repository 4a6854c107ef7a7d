import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Tables } from '../../../sql/tables.ts'
import { column, flag, id, staged, text } from '../../../transforms/declare/column.ts'
import { type ColumnRead, columnsRead } from '../../../transforms/declare/columns-read.ts'
import { content, type DeclaredContent, type Exclusion } from '../../../transforms/declare/content.ts'
import { optional, required, uniqueId } from '../../../transforms/declare/field.ts'
import { EXACT_KEYS, resource } from '../../../transforms/declare/resource.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { DEFAULTS } from '../source-a/options.ts'

/** The tests need no database, because the conditions are only compiled. */
const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * Returns the columns that decide which records of a content are left out, such as `users.is_pending:
 * not_published`.
 */
function decisive<Options>(declared: DeclaredContent<Options>, options: Options): readonly string[] {
  const { columns } = columnsRead(db, declared, { integrationId: 'summit', options })
  const decides = ({ column: { table, name }, reasons }: ColumnRead) =>
    `${table.replace('staging.', '')}.${name}: ${reasons.join(', ')}`
  return columns.filter(({ reasons }) => reasons.length > 0).map(decides)
}

const of = <Options>(
  { contents }: { readonly contents: readonly DeclaredContent<Options>[] },
  name: string,
) => {
  const found = contents.find((one) => one.content === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

describe('columns that decide which records are synced', () => {
  const TIMES = [
    'a_sessions.time_slot_id: bad_time',
    'a_time_slots.start_time: bad_time',
    'a_time_slots.end_time: bad_time',
  ]
  const FLAGS = ['a_sessions.enabled: not_published', 'a_sessions.visible_to_anonymous_users: not_published']
  const TYPE = [
    'a_sessions.session_type_id: one_to_one_meeting',
    'a_session_types.title: one_to_one_meeting',
    'a_session_types.title_folded: one_to_one_meeting',
  ]

  test.each([
    ['by default', {}, [...TIMES, ...FLAGS, ...TYPE]],
    ['with hidden sessions', { includeHidden: true }, [...TIMES, ...TYPE]],
    [
      'with statuses',
      { sessionStatuses: ['Accepted'] },
      [...TIMES, ...FLAGS, ...TYPE, 'a_sessions.status: not_published'],
    ],
    ['without types of meetings', { oneToOneTypes: [] }, [...TIMES, ...FLAGS]],
  ])('these columns decide which sessions of Source A are synced: %s', (_, more, columns) => {
    expect(decisive(of(transformA, 'agenda'), { ...DEFAULTS, ...more }).toSorted()).toEqual(
      columns.toSorted(),
    )
  })

  const OWN = ['a_users.speaking_at: not_a_speaker', 'a_users.id: not_a_speaker']
  const PENDING = ['a_users.is_pending: not_published']
  test.each([
    ['listed', false, [...OWN, ...PENDING]],
    ['role', false, ['a_users.has_speaker_role: not_a_speaker', ...PENDING]],
    ['both', true, [...OWN, 'a_users.has_speaker_role: not_a_speaker']],
  ] as const)(
    'these columns decide which speakers of Source A are synced: %s',
    (speakers, includePending, columns) => {
      const options = { ...DEFAULTS, speakers, includePending }
      expect(decisive(of(transformA, 'speakers'), options).toSorted()).toEqual(columns.toSorted())
    },
  )

  const optionsB = { speakerRegistrantType: 'Speaker', cancelledSpeakers: 'keep', fields: {} } as const
  const REG_TYPE = [
    'b_registrants.reg_type_id: not_a_speaker',
    'b_registrants.reg_type_value: not_a_speaker',
    'b_registrants.reg_type_folded: not_a_speaker',
    'b_reg_types.name: not_a_speaker',
    'b_reg_types.name_folded: not_a_speaker',
  ]
  test.each([
    ['attendees', 'keep', ['b_registrants.cancelled_at: cancelled']],
    ['speakers', 'keep', REG_TYPE],
    ['speakers', 'exclude', [...REG_TYPE, 'b_registrants.cancelled_at: cancelled']],
  ] as const)(
    'these columns decide which %s of Source B are synced, with cancelled speakers: %s',
    (name, cancelledSpeakers, columns) => {
      expect(decisive(of(transformB, name), { ...optionsB, cancelledSpeakers }).toSorted()).toEqual(
        columns.toSorted(),
      )
    },
  )
})

test('in a custom source, columns in the SQL of a condition count as deciding, but columns that it only looks up do not', () => {
  interface Options {
    readonly drafts: boolean
  }
  const guests = resource('guests', 'own_guests', EXACT_KEYS, id('id'), {
    first: text('first'),
    last: text('last'),
    mail: text('mail'),
    state: text('state'),
    level: column<string | null>('text', ['level'], ([value]) => staged(String(value))),
    level_folded: column<string | null>('id', ['level'], ([value]) => staged(String(value))),
    draft: flag('draft'),
    note: text('note'),
  })
  const { first, last, mail, state, level_folded, draft } = guests.columns
  const attendees = content<Options>('attendees', guests, {
    alias: 'guest',
    uniqueId: uniqueId({ column: guests.id }, 'guests.id'),
    fields: {
      firstName: required(first, 'guests.first'),
      lastName: required(last, 'guests.last'),
      emailAddress: required(mail, 'guests.mail'),
      title: optional(guests.columns.level, 'guests.level'),
    },
    exclude: [
      {
        reason: 'cancelled',
        isAttested: true,
        when: ({ at }) => sql`${at(level_folded)} = 'gone'`,
        why: 'Gone.',
        todo: 'Nothing.',
        columns: [state],
      },
      {
        reason: 'not_published',
        isAttested: true,
        when({ at, options }) {
          const isDraft = at(draft)
          return options.drafts ? null : sql`${isDraft}`
        },
        why: 'A draft.',
        todo: 'Publish it.',
        columns: [draft],
      },
    ],
  })
  const [level, state_, drafts] = [
    ['own_guests.level: cancelled', 'own_guests.level_folded: cancelled'],
    ['own_guests.state: cancelled'],
    ['own_guests.draft: not_published'],
  ]
  expect(decisive(attendees, { drafts: false }).toSorted()).toEqual([...drafts, ...level, ...state_])
  expect(decisive(attendees, { drafts: true }).toSorted()).toEqual([...level, ...state_])
  const { columns } = columnsRead(db, attendees, { integrationId: 'summit', options: { drafts: true } })
  const named = columns.map(({ column: { name }, isRequired }) => `${name}${isRequired ? ' (required)' : ''}`)
  expect(named.toSorted()).toEqual([
    'first (required)',
    'last (required)',
    'level',
    'level_folded',
    'mail (required)',
    'state',
  ])
})

test('a condition that reads another value than a column is refused, and the message shows what a column looks like', () => {
  const records = resource('rooms', 'x_rooms', EXACT_KEYS, id('id'), { name: text('name') })
  const when: Exclusion<null>['when'] = ({ at }) => sql`${at(records.name as never)} is null`
  const guests = content<null>('speakers', records, {
    alias: 'guest',
    uniqueId: uniqueId({ column: records.id }, '', ''),
    fields: { firstName: required(records.columns.name, ''), lastName: required(records.columns.name, '') },
    exclude: [{ reason: 'source_reason:unnamed', when, why: '', todo: '', columns: [] }],
  })
  expect(() => decisive(guests, null)).toThrow(
    'a field or a condition has string instead of a column of a resource, such as rooms.columns.name and not rooms.name',
  )
})
