import { afterAll, describe, expect, test } from 'vitest'
import { configSchema } from '../../pipeline/config/config.ts'
import { contractTests } from '../../pipeline/library/contract.ts'
import type { AnySourceType } from '../../pipeline/sources/contract/source-type.ts'
import { SOURCES } from '../../pipeline/sources/registry.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { EXAMPLES } from './examples.ts'

test('every registered source has an example for the contract tests', () => {
  expect(Object.keys(EXAMPLES)).toEqual(Object.keys(SOURCES))
})

describe.each(Object.entries(EXAMPLES))('source %s', (name, example) => {
  const source = SOURCES[name as keyof typeof SOURCES] as unknown as AnySourceType

  test('the secrets of the source are keys of its configuration', () => {
    expect(Object.keys(source.shape)).toEqual(expect.arrayContaining([...source.secrets]))
    const given = { ...example.source, url: 'https://source.example' }
    const integration = { id: 'event', source: given, platform: { type: 'jsonl' } }
    const config = configSchema.parse({ integrations: [integration] })
    expect(config.integrations[0]?.source).toMatchObject(given)
  })

  describe.each(engines)('on %s', (engine) => {
    const database = useDatabase(engine)
    const { type, ...config } = example.source
    const { env = {}, full, serve } = example
    const { tests, close } = contractTests({ source, config, env, full, serve }, database)
    for (const one of tests) test(one.name, one.run)
    afterAll(close)
  })
})
