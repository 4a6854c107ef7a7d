import { describe, expect, test } from 'vitest'
import { transformA } from '../../../transforms/source-a/index.ts'
import { judges, useJudge, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import { runId, type StagedRows } from '../../support/staged.ts'
import { DEFAULTS } from './options.ts'

const NAMED = { first_name: 'Ada', last_name: 'Lovelace' } as const
const EMAIL = { email_address: 'Ada@Example.org' } as const

describe.each(judges)('verdicts on %s', (judge) => {
  const decisions = useJudge(judge, transformA, 'attendees')

  test('of the reasons that apply the first in the order of the rules counts', async () => {
    const rows: StagedRows = {
      'staging.a_users': [
        { source_id: '1', id: '1' },
        { source_id: '2', id: '2', first_name: 'Ada' },
        { source_id: '3', id: '3', last_name: 'Lovelace', ...EMAIL },
        { source_id: '4', id: '4', ...NAMED },
        { source_id: '5', id: '5', ...NAMED, ...EMAIL },
        { source_id: 'pending', id: 'pending', ...NAMED, ...EMAIL, is_pending: true },
        { source_id: 'ada@example.org', ...NAMED, ...EMAIL },
        { source_id: 'other', integration_id: 'expo', ...NAMED, ...EMAIL },
        { source_id: 'gone', valid_to_run: runId(2), ...NAMED, ...EMAIL },
      ],
    }
    expect(await decisions(rows, DEFAULTS)).toEqual({
      1: { uniqueId: '1', reason: 'missing_required:firstName' },
      2: { uniqueId: '2', reason: 'missing_required:lastName' },
      3: { uniqueId: '3', reason: 'missing_required:firstName' },
      4: { uniqueId: '4', reason: 'missing_required:emailAddress' },
      5: { uniqueId: '5', reason: null },
      pending: { uniqueId: 'pending', reason: null },
      'ada@example.org': { uniqueId: 'ada@example.org', reason: null },
    })
  })
})

describe.each(engines)('items on %s', (engine) => {
  const transform = useTransform(engine, transformA)

  test('every field of spec 2.4, and no other [spec 2.4.6]', async () => {
    const { items, details } = await transform(
      {
        'staging.a_users': [
          {
            source_id: '7',
            id: '7',
            ...NAMED,
            ...EMAIL,
            title: 'Countess',
            company: 'Engines',
            biography: 'not an attendee’s',
            photo_link: 'https://img.example/ada.png',
          },
          {
            source_id: 'bob@example.org',
            first_name: 'Bob',
            last_name: 'B',
            email_address: 'Bob@Example.org',
          },
        ],
      },
      DEFAULTS,
    )
    expect(items.attendees).toEqual({
      7: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        emailAddress: 'Ada@Example.org',
        title: 'Countess',
        company: 'Engines',
      },
      'bob@example.org': { firstName: 'Bob', lastName: 'B', emailAddress: 'Bob@Example.org' },
    })
    expect(details.attendees).toEqual({ 7: '', 'bob@example.org': '' })
  })

  test('marks are those of the attendee’s fields', async () => {
    const marks = [
      'not_text:first_name',
      'unsupported_character:email_address',
      'not_text:biography',
      'left_out:photo_link',
      'left_out:speaking_at',
      'unsupported_character:source_id',
      'unsupported_character:id',
    ]
    const { details } = await transform({ 'staging.a_users': [{ source_id: '7', id: '7', marks }] }, DEFAULTS)
    expect(details.attendees).toEqual({
      7: 'not_text:firstName; unsupported_character:emailAddress; unsupported_character:uniqueId',
    })
  })
})
