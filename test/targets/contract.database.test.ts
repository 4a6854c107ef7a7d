import { describe, expect, test } from 'vitest'
import { configSchema, type IntegrationConfig } from '../../pipeline/config/config.ts'
import { platformOf } from '../../pipeline/context/connect.ts'
import { TARGETS } from '../../pipeline/targets/registry.ts'
import { exampleA } from '../sources/a.ts'
import { contractTests } from './contract.ts'
import { exampleHttp } from './http.ts'
import { exampleJsonl } from './jsonl.ts'

/** The example of each registered target, by the target's name. */
const EXAMPLES = { jsonl: exampleJsonl, http: exampleHttp }

test('every registered target has an example for the contract tests', () => {
  expect(Object.keys(EXAMPLES)).toEqual(Object.keys(TARGETS))
})

test('plans for different platform events have different identities, and plans for packs always have the same identity', () => {
  const source = { ...exampleA.source, url: 'https://source.example' }
  const platforms = [
    { type: 'jsonl' },
    ...['https://one.example', 'https://two.example'].flatMap((url) =>
      ['1', '2'].map((eventId) => ({ type: 'http', url, eventId, token: 'env:TOKEN' })),
    ),
  ]
  const identities = platforms.map((platform) => {
    const integration = { id: 'one', source, platform, passwords: { mode: 'none' } }
    return platformOf(
      configSchema.parse({ integrations: [integration] }).integrations[0] as IntegrationConfig,
    ).identity
  })
  expect(identities).toEqual([
    'jsonl',
    '["http","https://one.example","1"]',
    '["http","https://one.example","2"]',
    '["http","https://two.example","1"]',
    '["http","https://two.example","2"]',
  ])
})

describe('target jsonl', () => contractTests('jsonl', exampleJsonl))
describe('target http', () => contractTests('http', exampleHttp))
