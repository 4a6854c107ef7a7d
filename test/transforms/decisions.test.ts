import { expect, test } from 'vitest'
import type { Content } from '../../sql/tables.ts'
import type { SourceTransform } from '../../transforms/declare/source.ts'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import { openMemory } from '../support/memory.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from '../support/staged.ts'
import { DEFAULTS as OPTIONS_OF_A } from './source-a/options.ts'
import { DEFAULTS as OPTIONS_OF_B } from './source-b/options.ts'

/** Decides on staged records with nothing but joins and filters, which pg-mem runs too. */
async function decide<Options>(
  transform: SourceTransform<Options>,
  content: Content,
  rows: StagedRows,
  options: Options,
) {
  const memory = openMemory()
  await insertStaged(memory, rows)
  const made = transform.contents.find((one) => one.content === content)
  if (made === undefined) throw new Error(`the source has no ${content}`)
  const scope = { integrationId: INTEGRATION, contents: [content], options }
  const decisions = await memory.selectFrom(made.decisions(memory, scope).as('made')).selectAll().execute()
  return Object.fromEntries(decisions.map(({ source_id, reason }) => [source_id, reason]))
}

const ADA = { first_name: 'Ada', last_name: 'Lovelace' }

test('attendees of Source B: the first reason that applies counts; rows of others and of before are not looked at', async () => {
  const good = { ...ADA, email: 'ada@people.example' }
  const found = await decide(
    transformB,
    'attendees',
    {
      'staging.b_registrants': [
        { source_id: 'all there is to say', ...good },
        { source_id: 'cancelled, and lacks everything', cancelled_at: '2031-01-01 00:00:00' },
        { source_id: 'lacks everything' },
        { source_id: 'lacks the address', ...ADA },
        { source_id: 'of another', integration_id: 'expo', ...good },
        { source_id: 'of before', valid_to_run: runId(2), ...good },
      ],
    },
    OPTIONS_OF_B,
  )
  expect(found).toEqual({
    'all there is to say': null,
    'cancelled, and lacks everything': 'cancelled',
    'lacks everything': 'missing_required:firstName',
    'lacks the address': 'missing_required:emailAddress',
  })
})

test('attendees of Source A: the first field that is missing is the reason', async () => {
  const found = await decide(
    transformA,
    'attendees',
    {
      'staging.a_users': [
        { source_id: 'all there is to say', ...ADA, email_address: 'ada@people.example' },
        { source_id: 'lacks everything' },
        { source_id: 'lacks two', first_name: 'Ada' },
        { source_id: 'lacks the address', ...ADA },
      ],
    },
    OPTIONS_OF_A,
  )
  expect(found).toEqual({
    'all there is to say': null,
    'lacks everything': 'missing_required:firstName',
    'lacks two': 'missing_required:lastName',
    'lacks the address': 'missing_required:emailAddress',
  })
})
