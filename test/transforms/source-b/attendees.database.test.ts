import { describe, expect, test } from 'vitest'
import { transformB } from '../../../transforms/source-b/index.ts'
import { judges, reasonsOf, useJudge, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { runId, type StagedRows } from '../../support/staged.ts'
import { DEFAULTS } from './options.ts'

type Registrant = Omit<NonNullable<StagedRows['staging.b_registrants']>[number], 'source_id'>

const GOOD = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.org' } as const
const CANCELLED = { cancelled_at: '2031-01-01 00:00:00' }

/** Each registrant with the reason that counts, of those that would apply; null: it is synced. */
const REGISTRANTS: readonly (readonly [string, Registrant, string | null])[] = [
  ['what is required, and no more', GOOD, null],
  ['cancelled, and lacks everything', CANCELLED, 'cancelled'],
  ['cancelled', { ...GOOD, ...CANCELLED }, 'cancelled'],
  ['lacks everything', {}, 'missing_required:firstName'],
  ['lacks the first name', { ...GOOD, first_name: null }, 'missing_required:firstName'],
  ['lacks last name and e-mail address', { first_name: 'Ada' }, 'missing_required:lastName'],
  ['lacks the e-mail address', { ...GOOD, email: null }, 'missing_required:emailAddress'],
]

const rowsOf = (registrants: readonly (readonly [string, Registrant, ...unknown[]])[]): StagedRows => ({
  'staging.b_registrants': [
    ...registrants.map(([source_id, registrant]) => ({ source_id, ...registrant })),
    { source_id: 'other', integration_id: 'expo', ...GOOD },
    { source_id: 'gone', valid_to_run: runId(2), ...GOOD },
  ],
})

describe.each(judges)('verdicts on %s', (judge) => {
  const decisions = useJudge(judge, transformB, 'attendees')

  test('of the reasons that apply the first in the order of the rules counts; rows of others and of before are nobody’s', async () => {
    const found = await decisions(rowsOf(REGISTRANTS), DEFAULTS)
    expect(reasonsOf(found)).toEqual(Object.fromEntries(REGISTRANTS.map(([id, , reason]) => [id, reason])))
    expect(Object.entries(found).filter(([id, { uniqueId }]) => uniqueId !== id)).toEqual([])
  })
})

describe.each(engines)('items on %s', (engine) => {
  const transform = useTransform(engine, transformB)

  const FULL: Registrant = {
    ...GOOD,
    job_title: 'Countess',
    company: 'Engines',
    bio: '<p>…</p>',
    mobile_phone: '+44 1',
    twitter_handle: 'ada',
    session_ids: ['nowhere', 'É', '～', '😀'],
  }
  const AGENDA: StagedRows = {
    'staging.b_sessions': ['É', '😀'].map((source_id) => ({
      source_id,
      name: 'x',
      start_time: '2031-08-08T09:00:00Z',
      start_time_status: 'read' as const,
      end_time: '2031-08-08T10:00:00Z',
      end_time_status: 'read' as const,
    })),
  }

  test('every field of spec 2.8, and no other [spec 2.8.9]', async () => {
    const { items, details } = await transform({ ...rowsOf([['7', FULL]]), ...AGENDA }, DEFAULTS)
    expect(items.attendees).toEqual({
      7: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        emailAddress: 'ada@example.org',
        title: 'Countess',
        company: 'Engines',
        biography: '<p>…</p>',
        phone: '+44 1',
        personalAgenda: ['É', '😀'],
      },
    })
    expect(details.attendees).toEqual({ 7: 'not_synced:personalAgenda=2' })
  })

  test('what has no value is left out; sessions of others stand as given', async () => {
    expect((await transform(rowsOf([['7', GOOD]]), DEFAULTS)).items.attendees).toEqual({
      7: { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.org' },
    })
    const { items, details } = await transform(rowsOf([['7', FULL]]), DEFAULTS, ['attendees'])
    expect(items.attendees['7']?.personalAgenda).toEqual(['nowhere', 'É', '～', '😀'])
    expect(details.attendees).toEqual({ 7: '' })
  })

  test('marks are those of the attendee’s fields; nothing is counted for who is not synced', async () => {
    const marks = [
      'not_text:email',
      'not_text:bio',
      'not_text:mobile_phone',
      'left_out:twitter_handle',
      'left_out:session_ids',
    ]
    const { details } = await transform(
      rowsOf([['7', { ...CANCELLED, marks, session_ids: ['nowhere'] }]]),
      DEFAULTS,
    )
    expect(details.attendees).toEqual({
      7: 'left_out:personalAgenda; not_text:biography; not_text:emailAddress; not_text:phone',
    })
  })
})
