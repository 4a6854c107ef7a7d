import { describe, expect, test } from 'vitest'
import type { Config, IntegrationConfig } from '../../../pipeline/config/config.ts'
import type { Context } from '../../../pipeline/context/run-context.ts'
import { chooseJobs } from '../../../pipeline/worker/order.ts'
import { engines } from '../../support/engines.ts'
import { enterRun } from '../../support/runs.ts'
import { useDatabase } from '../../support/use-database.ts'

const daily = { cron: '0 2 * * *', timeZone: 'UTC', jitterSeconds: 0 }

describe.each(engines)('the order of due jobs on %s', (engine) => {
  const database = useDatabase(engine)

  const integration = (id: string, source: object, platform: object = { type: 'jsonl' }) =>
    ({
      id,
      platform,
      source: { type: 'a', url: 'https://source.example', ...source },
      schedule: daily,
    }) as unknown as IntegrationConfig
  const token = (name: string) => ({ auth: { type: 'bearer', token: `env:${name}` } })
  const choose = (
    integrations: readonly IntegrationConfig[],
    waiting: readonly string[],
    running: readonly string[] = [],
    worker: Config['worker'] = { perAccount: 100 },
  ) => {
    const context = { config: { integrations, worker }, database: database() } as unknown as Context
    const jobs = waiting.map((integrationId, place) => ({
      integrationId,
      isByHand: false,
      dueAtMs: Date.UTC(2100, 0, 1) + place,
    }))
    return chooseJobs(context, { waiting: jobs, running }, waiting.length)
  }

  test('the integration whose last run is the longest ago comes first, although its job was made last', async () => {
    for (const [place, id] of ['recent', 'missed'].entries()) {
      const startedAt = new Date(Date.UTC(2031, 4, 9 - 4 * place)).toISOString()
      await enterRun(database().kysely, place + 1, { integrationId: id, startedAt })
    }
    const both = ['recent', 'missed'].map((id) => integration(id, {}))
    expect(await choose(both, ['recent', 'missed'])).toEqual(['missed', 'recent'])
  })

  test('integrations with the same host and the same credentials are one account', async () => {
    const [first, second, other, elsewhere] = [
      integration('first', token('ONE')),
      integration('second', token('ONE')),
      integration('other', token('TWO')),
      integration('elsewhere', { url: 'https://elsewhere.example', ...token('ONE') }),
    ]
    const all = [first, second, other, elsewhere] as IntegrationConfig[]
    const waiting = ['second', 'other', 'elsewhere']
    expect(await choose(all, waiting, ['first'])).toEqual(['other', 'elsewhere', 'second'])
    // An integration that this worker does not know is an account of its own.
    expect(await choose(all, ['second', 'unknown'], ['first'])).toEqual(['unknown', 'second'])
    expect(await choose(all, waiting, ['first'], { perAccount: 1 })).toEqual(['other', 'elsewhere'])
  })

  test('if all due jobs can be taken and nothing limits them, the database is not asked for their order', async () => {
    const both = ['one', 'other'].map((id) => integration(id, {}))
    const withoutDatabase = { config: { integrations: both } } as unknown as Context
    const waiting = ['other', 'one'].map((integrationId) => ({ integrationId, isByHand: false, dueAtMs: 0 }))
    const due = { waiting, running: [] }
    expect(await chooseJobs(withoutDatabase, due, 2)).toEqual(['other', 'one'])
    await expect(chooseJobs(withoutDatabase, due, 1)).rejects.toThrow(TypeError)
  })

  test('integrations that write to the same host share a platform, and each that writes to packs has its own', async () => {
    const http = { type: 'http', url: 'https://platform.example/api', eventId: '1' }
    const all = [
      integration('first', {}, http),
      integration('second', {}, { ...http, url: 'https://platform.example/other' }),
      integration('other', {}, { ...http, url: 'https://elsewhere.example' }),
      integration('file', {}),
      integration('files', {}),
    ]
    const waiting = ['second', 'other', 'file', 'files']
    expect(await choose(all, waiting, ['first'], { perPlatform: 1 })).toEqual(['other', 'file', 'files'])
  })
})
