import { describe, expect, test } from 'vitest'
import { transformB } from '../../../transforms/source-b/index.ts'
import { judges, type Reasons, reasonsOf, useJudge, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { runId, type StagedRows } from '../../support/staged.ts'
import { DEFAULTS } from './options.ts'

type Registrant = Omit<NonNullable<StagedRows['staging.b_registrants']>[number], 'source_id'>

const NAMED = { first_name: 'Ada', last_name: 'Lovelace' } as const

/** The type as the parser stages it: an object's own name, and id or bare text. */
const type = (id: string | null, value: string | null = null) => ({
  reg_type_id: id,
  reg_type_value: value,
  reg_type_folded: (value ?? id)?.toLowerCase() ?? null,
})
const SPEAKER = { ...NAMED, ...type('20', 'Speaker') }

const TYPES: StagedRows = {
  'staging.b_reg_types': [
    { source_id: '20', name: 'Speaker', name_folded: 'speaker' },
    { source_id: '21', name: 'Attendee', name_folded: 'attendee' },
    { source_id: 'SPEAKER', name: null },
    { source_id: '22', integration_id: 'expo', name: 'Speaker', name_folded: 'speaker' },
    { source_id: '23', valid_to_run: runId(2), name: 'Speaker', name_folded: 'speaker' },
  ],
}

const rowsOf = (registrants: readonly (readonly [string, Registrant, ...unknown[]])[]): StagedRows => ({
  ...TYPES,
  'staging.b_registrants': registrants.map(([source_id, registrant]) => ({ source_id, ...registrant })),
})

const CANCELLED = { cancelled_at: '2031-01-01 00:00:00' }

/** Each registrant with the reason that counts, of those that would apply; null: it is synced. */
const REGISTRANTS: readonly (readonly [string, Registrant, string | null])[] = [
  ['own name of the type', SPEAKER, null],
  ['own name is another', { ...NAMED, ...type('20', 'Attendee') }, 'not_a_speaker'],
  ['name by the id', { ...NAMED, ...type('20') }, null],
  ['bare text', { ...NAMED, ...type('speaker') }, null],
  ['bare text that is the id of a type without name', { ...NAMED, ...type('SPEAKER') }, null],
  ['unknown id', { ...NAMED, ...type('99') }, 'not_a_speaker'],
  ['type of another integration', { ...NAMED, ...type('22') }, 'not_a_speaker'],
  ['type that is gone', { ...NAMED, ...type('23') }, 'not_a_speaker'],
  ['no type, no names, cancelled', CANCELLED, 'not_a_speaker'],
  ['no names', type('20'), 'missing_required:firstName'],
  ['no first name', { ...SPEAKER, first_name: null }, 'missing_required:firstName'],
  ['no last name', { ...SPEAKER, last_name: null }, 'missing_required:lastName'],
]

describe.each(judges)('verdicts on %s', (judge) => {
  const decisions = useJudge(judge, transformB, 'speakers')

  test('of the reasons that apply the first in the order of the rules counts', async () => {
    const found = await decisions(rowsOf(REGISTRANTS), DEFAULTS)
    expect(reasonsOf(found)).toEqual(Object.fromEntries(REGISTRANTS.map(([id, , reason]) => [id, reason])))
    expect(Object.entries(found).filter(([id, { uniqueId }]) => uniqueId !== id)).toEqual([])
  })

  const some: readonly (readonly [string, Registrant])[] = [
    ['by name', SPEAKER],
    ['by id', { ...NAMED, ...type('21', 'Attendee') }],
    ['neither', { ...NAMED, ...type('24', 'Guest') }],
    ['cancelled', { ...SPEAKER, ...CANCELLED }],
    ['cancelled, nameless', { ...type('20', 'Speaker'), ...CANCELLED }],
    ['cancelled guest', { ...NAMED, ...CANCELLED }],
  ]
  const byDefault: Reasons = {
    'by name': null,
    'by id': 'not_a_speaker',
    neither: 'not_a_speaker',
    cancelled: null,
    'cancelled, nameless': 'missing_required:firstName',
    'cancelled guest': 'not_a_speaker',
  }

  test.each([
    ['nothing is configured', {}, {}],
    ['the type is named in other case, with blanks', { speakerRegistrantType: ' SPEAKER ' }, {}],
    [
      'the type is given by its id',
      { speakerRegistrantType: ' 21 ' },
      {
        'by name': 'not_a_speaker',
        'by id': null,
        cancelled: 'not_a_speaker',
        'cancelled, nameless': 'not_a_speaker',
      },
    ],
    [
      'cancelled speakers are excluded',
      { cancelledSpeakers: 'exclude' } as const,
      { cancelled: 'cancelled', 'cancelled, nameless': 'cancelled', 'cancelled guest': 'cancelled' },
    ],
  ])('where %s', async (_, options, others) => {
    const found = await decisions(rowsOf(some), { ...DEFAULTS, ...options })
    expect(reasonsOf(found)).toEqual({ ...byDefault, ...others })
  })
})

describe.each(engines)('items on %s', (engine) => {
  const transform = useTransform(engine, transformB)

  const TIMES = { start_time: '2031-08-08T09:00:00Z', end_time: '2031-08-08T10:00:00Z' } as const
  const READ = { start_time_status: 'read', end_time_status: 'read' } as const
  const AGENDA: StagedRows = {
    'staging.b_sessions': [
      ...['1', '10', '2'].map((source_id) => ({ source_id, name: 'x', ...TIMES, ...READ })),
      { source_id: 'nameless', ...TIMES, ...READ },
    ],
  }
  const FULL: Registrant = {
    ...SPEAKER,
    email: 'ada@example.org',
    job_title: 'Countess',
    company: 'Engines',
    bio: '<p>…</p>',
    mobile_phone: '+44 1',
    twitter_handle: 'ada',
    session_ids: ['1', '10', '2'],
  }

  test('every field of spec 2.7, and no other [spec 2.7.9]', async () => {
    const { items, details } = await transform({ ...rowsOf([['7', FULL]]), ...AGENDA }, DEFAULTS)
    expect(items.speakers).toEqual({
      7: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        title: 'Countess',
        company: 'Engines',
        description: '<p>…</p>',
        sessionIds: ['1', '10', '2'],
        attendeeId: '7',
        twitter: 'ada',
      },
    })
    expect(details.speakers).toEqual({ 7: '' })
  })

  test('what is not synced is left out and counted: sessions, and the attendee who has cancelled', async () => {
    const registrant = { ...FULL, ...CANCELLED, session_ids: ['2', 'nameless', 'nowhere'] }
    const { items, details } = await transform({ ...rowsOf([['7', registrant]]), ...AGENDA }, DEFAULTS)
    expect(items.speakers['7']?.sessionIds).toEqual(['2'])
    expect(items.speakers['7']).not.toHaveProperty('attendeeId')
    expect(details.speakers['7']).toBe('not_synced:attendeeId=1; not_synced:sessionIds=2')
    expect(items.attendees).toEqual({})
  })

  test('references to contents of others stand as given; what has no value is left out', async () => {
    const rows = { ...rowsOf([['7', { ...SPEAKER, ...CANCELLED, session_ids: ['nowhere'] }]]), ...AGENDA }
    const { items, details } = await transform(rows, DEFAULTS, ['speakers'])
    expect(items.speakers).toEqual({
      7: { firstName: 'Ada', lastName: 'Lovelace', attendeeId: '7', sessionIds: ['nowhere'] },
    })
    expect(details.speakers['7']).toBe('')
  })

  test('marks are those of the speaker’s fields', async () => {
    const marks = [
      'not_text:job_title',
      'not_text:bio',
      'not_text:email',
      'not_text:mobile_phone',
      'left_out:twitter_handle',
      'left_out:session_ids',
      'unsupported_character:source_id',
    ]
    const { details } = await transform(rowsOf([['7', { ...type('21'), marks }]]), DEFAULTS)
    expect(details.speakers['7']).toBe(
      [
        'left_out:sessionIds',
        'left_out:twitter',
        'not_text:description',
        'not_text:title',
        'unsupported_character:uniqueId',
      ].join('; '),
    )
  })
})
