import { describe, expect, test } from 'vitest'
import { transformB } from '../../../transforms/source-b/index.ts'
import { judges, reasonsOf, useJudge, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { runId, type StagedRows } from '../../support/staged.ts'
import { DEFAULTS } from './options.ts'

type Session = Omit<NonNullable<StagedRows['staging.b_sessions']>[number], 'source_id'>

const NINE = { start_time: '2031-08-08T09:00:00Z', start_time_status: 'read' } as const
const TEN = { end_time: '2031-08-08T10:00:00Z', end_time_status: 'read' } as const
const BAD_START = { start_time_status: 'unreadable' } as const
const BAD_END = { end_time_status: 'unreadable' } as const

/** Each session with the reason that counts, of those that would apply; null: it is synced. */
const SESSIONS: readonly (readonly [string, Session, string | null])[] = [
  ['what is required, and no more', { name: 'x', ...NINE, ...TEN }, null],
  ['nothing', {}, 'missing_required:name'],
  ['no times', { name: 'x' }, 'missing_required:startTime'],
  ['no start, bad end', { name: 'x', ...BAD_END }, 'missing_required:startTime'],
  ['no end', { name: 'x', ...NINE }, 'missing_required:endTime'],
  ['bad start', { name: 'x', ...BAD_START, ...TEN }, 'bad_time'],
  ['bad end', { name: 'x', ...NINE, ...BAD_END }, 'bad_time'],
  ['no length', { name: 'x', ...NINE, ...TEN, end_time: NINE.start_time }, 'bad_time'],
  ['backwards', { name: 'x', ...NINE, ...TEN, end_time: '2031-08-08T08:59:59Z' }, 'bad_time'],
  ['one second long', { name: 'x', ...NINE, ...TEN, end_time: '2031-08-08T09:00:01Z' }, null],
  ['times that occur twice', { name: 'x', ...NINE, ...TEN, start_time_status: 'ambiguous' }, null],
]

const rowsOf = (sessions: readonly (readonly [string, Session, ...unknown[]])[]): StagedRows => ({
  'staging.b_sessions': [
    ...sessions.map(([source_id, session]) => ({ source_id, ...session })),
    { source_id: 'other', integration_id: 'expo', name: 'x', ...NINE, ...TEN },
    { source_id: 'gone', valid_to_run: runId(2), name: 'x', ...NINE, ...TEN },
  ],
})

describe.each(judges)('verdicts on %s', (judge) => {
  const decisions = useJudge(judge, transformB, 'agenda')

  test('of the reasons that apply the first in the order of the rules counts; rows of others and of before are nobody’s', async () => {
    const found = await decisions(rowsOf(SESSIONS), DEFAULTS)
    expect(reasonsOf(found)).toEqual(Object.fromEntries(SESSIONS.map(([id, , reason]) => [id, reason])))
    expect(Object.entries(found).filter(([id, { uniqueId }]) => uniqueId !== id)).toEqual([])
  })
})

describe.each(engines)('items on %s', (engine) => {
  const transform = useTransform(engine, transformB)

  test('every field of spec 2.6, and no other [spec 2.6.5]', async () => {
    const { items, details, decisions } = await transform(
      rowsOf([
        ['7', { name: 'Opening', ...NINE, ...TEN, description: '<p>é</p>', time_zone: 'Europe/Berlin' }],
        ['8', { name: 'Closing', ...NINE, ...TEN }],
        ['9', { name: 'Never' }],
      ]),
      DEFAULTS,
    )
    const times = { startTime: '2031-08-08T09:00:00Z', endTime: '2031-08-08T10:00:00Z' }
    expect(items.agenda).toEqual({
      7: { name: 'Opening', ...times, description: '<p>é</p>' },
      8: { name: 'Closing', ...times },
    })
    expect(details.agenda).toEqual({ 7: '', 8: '', 9: '' })
    expect(decisions.map(({ content, resource }) => [content, resource])).toEqual(
      Array.from({ length: 3 }, () => ['agenda', 'sessions']),
    )
  })

  test('marks are those of the platform’s fields, in byte order', async () => {
    const { details } = await transform(
      rowsOf([
        [
          '7',
          {
            name: 'x',
            ...NINE,
            ...TEN,
            start_time_status: 'ambiguous',
            end_time_status: 'ambiguous',
            marks: [
              'not_text:start_time',
              'unsupported_character:name',
              'not_text:time_zone',
              'not_text:description',
            ],
          },
        ],
        ['8', { ...NINE, end_time_status: 'ambiguous', marks: ['not_text:name', 'not_text:end_time'] }],
      ]),
      DEFAULTS,
    )
    expect(details.agenda).toEqual({
      7: [
        'ambiguous_time:endTime',
        'ambiguous_time:startTime',
        'not_text:description',
        'not_text:startTime',
        'unsupported_character:name',
      ].join('; '),
      8: 'ambiguous_time:endTime; not_text:endTime; not_text:name',
    })
  })
})
