import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { peopleToken, servePeople } from '../../../pipeline/targets/examples/people-server.ts'
import { VARIABLES } from '../../harness/place.ts'
import { exampleA } from '../../sources/a.ts'
import { recordsOf } from '../../sources/example.ts'
import { engines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { type Death, startRun } from './child.ts'
import { pgliteDatabases, postgresDatabases } from './databases.ts'

const MANY_PROCESSES_MS = 900_000

/** The points from the stored plan to the finished run, at which a kill could lose or double a change. */
const POINTS = [
  'plan stored',
  'apply begun',
  'outbox written',
  'batch stored',
  'platform asked',
  'platform answered',
  'answer recorded',
  'operations sent',
  'plan applied',
  'pack written',
] as const satisfies readonly Death['point'][]

/** Points that a run also reaches before its first batch, when it counts the items of the platform. */
const REACHED_BEFORE: ReadonlySet<Death['point']> = new Set(['platform asked', 'platform answered'])

const folder = useFolder()
const { users: user = {} } = exampleA.full

// A process without the test runner cannot resolve the name of this package to its source files.
const LIBRARY = JSON.stringify(join(packageRoot, 'pipeline/library/target.ts'))
const TARGET = readFileSync(join(packageRoot, 'pipeline/targets/examples/people.ts'), 'utf8')
  .replace("'event-content-sync/target'", LIBRARY)
  .replace('  requestsPerMinute: 6,\n', '')
  .replace('batchSize: 50', 'batchSize: 1')

test.each(engines)(
  'if a run with a target of your own is killed at any point, the next run ends in the same state, and no account is opened twice; on %s',
  async (engine) => {
    const databases = engine === 'postgres' ? postgresDatabases(inject('postgresUrl')) : pgliteDatabases()
    const at = join(folder(), engine)
    await databases.make(at, null)
    let nowMs = 0
    // A minute passes between two requests.
    const platform = await servePeople({
      now: () => {
        nowMs += 60_000
        return nowMs
      },
    })
    const source = await exampleA.serve(recordsOf(exampleA))
    onTestFinished(async () => {
      await source.close()
      await platform.close()
      await databases.drop(at)
    })
    writeFileSync(join(at, 'people.ts'), TARGET)
    const integration = {
      id: 'spring',
      source: { ...exampleA.source, url: source.url },
      content: ['attendees'],
      platform: { type: './people.ts', url: platform.url, eventId: 'spring', token: 'env:PEOPLE_TOKEN' },
      passwords: { mode: 'random', storeEncryptedPassword: true },
      removals: { maxShare: 1 },
    }
    const config = join(at, 'event-sync.yaml')
    const database = engine === 'postgres' ? { database: 'env:DATABASE_URL' } : {}
    writeFileSync(config, JSON.stringify({ ...database, sealingKey: 'env:KEY', integrations: [integration] }))
    const variables = {
      ...VARIABLES,
      ...exampleA.env,
      ...databases.variables(at),
      PEOPLE_TOKEN: peopleToken,
    }
    let finishedRuns = 0
    const run = (death: Death | null) =>
      startRun(
        { config, death, clock: 'machine', finishedRuns, stateFile: join(at, 'state.json') },
        variables,
      ).ended

    for (const [index, point] of POINTS.entries()) {
      const ids = [`N${index}`, `N${index + 1}`, 'P1']
      const users = ids.map((id) => ({
        ...user,
        Id: id,
        EmailAddress: `${id.toLowerCase()}@example.org`,
        Company: `Company ${index}`,
      }))
      source.hold(recordsOf(exampleA, { sessions: [], users }))
      finishedRuns += 1
      const hit = REACHED_BEFORE.has(point) ? 3 : 1
      expect((await run({ point, hit, signal: 'SIGKILL' })).signal, point).toBe('SIGKILL')
      const ended = await run(null)
      expect([ended.code, ended.told.at(-1)], `${point}: ${ended.stderr}`).toEqual([
        0,
        { event: 'run ended', error: null },
      ])
      const open = platform.accounts.filter(({ isCancelled }) => !isCancelled)
      expect(
        open.map(({ person: { reference, company } }) => [reference, company]).toSorted(),
        point,
      ).toEqual(ids.toSorted().map((id) => [id, `Company ${index}`]))
      const references = platform.accounts.map(({ person: { reference } }) => reference)
      expect(new Set(references).size, `${point}: an account was opened twice`).toBe(references.length)
      expect(
        platform.accounts.every(({ password }) => password !== null),
        point,
      ).toBe(true)
    }
  },
  MANY_PROCESSES_MS,
)
