import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../sql/database.ts'
import { CANARY, TOKEN } from '../../harness/source-server.ts'
import { openEngine } from '../../support/engines.ts'
import { useOneFolder } from '../../support/folder.ts'
import { everywhere, failuresOf, faultCombinationsOf } from './combinations.ts'
import { makeEvent, resourcesOf, type SourceType } from './event.ts'
import type { Fault } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { differencesOf, NO_TOKEN } from './judge.ts'
import { readOne } from './read-one.ts'
import { leftTables } from './snapshot.ts'
import { openStage, type Stage } from './stage.ts'
import { expectedAt, expectedOf, faults } from './table.ts'

let database: Database
const output = useOneFolder()
let stage: Stage
beforeAll(async () => {
  database = await openEngine('pglite')
  stage = openStage(database, output)
})
afterAll(async () => {
  await stage.close()
  expect(await leftTables(database)).toEqual([])
  await database.close()
})

const EVENT_SEED = 1
/**
 * Limits for runs with several faults. The wait for one fault is within the usual retry budget of a run, but
 * the sum of the waits for several faults is not.
 */
const PATIENT = { retryBudgetSeconds: 30_000 }

describe.each(['a', 'b'] as const)('from Source %s', (type: SourceType) => {
  const combinations = faultCombinationsOf(type).map(
    (combination) => [combination.map(({ name }) => name).join('; '), combination] as const,
  )

  test.each(combinations)(
    'the run has the expected result if every resource has the faults: %s',
    async (_, combination) => {
      const rehearsal = await stage.rehearse(type, EVENT_SEED)
      const casts = everywhere(type, combination)
      const run = await stage.perform(rehearsal, casts, {
        heal: expectedOf(type, casts) === 'late',
        ...(combination.length > 1 ? { http: PATIENT } : {}),
      })
      expect(differencesOf(rehearsal, run)).toEqual([])
    },
  )

  const failing = faults.filter((fault) => !fault.standsAlone && failuresOf(type, fault).length > 0)

  // Each fault is tested in one whole run, at one place of one source. The reads below test every place.
  const whole = failing
    .map((fault) => [fault.name, fault, faults.indexOf(fault)] as const)
    .filter(([, { sources }, index]) => sources.length === 1 || (type === 'a') === (index % 2 === 0))

  test.each(whole)(
    'a run fails and changes nothing if one resource has the fault: %s',
    async (_, fault, index) => {
      const rehearsal = await stage.rehearse(type, EVENT_SEED)
      const casts = failuresOf(type, fault)
      const run = await stage.perform(rehearsal, casts.slice(index % casts.length).slice(0, 1))
      expect(differencesOf(rehearsal, run)).toEqual([])
    },
  )

  test.each(failing.map((fault) => [fault.name, fault] as const))(
    'reading a resource fails if the resource has the fault: %s',
    async (_, fault: Fault) => {
      await Promise.all(failuresOf(type, fault).map((cast) => expectFailedRead(type, cast)))
    },
  )
})

test('faults that take long or affect the whole source have the expected result at a single resource', async () => {
  const alone = faults.filter(({ standsAlone }) => standsAlone)
  const reads = (['a', 'b'] as const).flatMap((type) => [
    ...alone.flatMap((fault) => failuresOf(type, fault).map((cast) => expectFailedRead(type, cast))),
    ...everywhere(
      type,
      alone.filter(({ expected }) => expected === 'recovered'),
    ).map(async (cast) => {
      const { reading, message } = await readOne(database, type, makeEvent(type, EVENT_SEED), cast)
      expect(message).toBe('')
      expect(reading?.certified).toBe(true)
    }),
  ])
  expect(reads.length).toBeGreaterThan(15)
  await Promise.all(reads)
})

async function expectFailedRead(type: SourceType, cast: Cast): Promise<void> {
  const { fault } = cast
  const { reading, message, strayed } = await readOne(database, type, makeEvent(type, EVENT_SEED), cast)
  expect(reading, `${cast.place} was read`).toBeNull()
  const place = cast.place === TOKEN ? 'registrants' : cast.place
  expect(message).toMatch(new RegExp(`^${place}, page \\d+: `))
  const isToken = cast.place === TOKEN && NO_TOKEN.test(message)
  expect(isToken || fault.says.test(message), message).toBe(true)
  expect(message).not.toContain(CANARY)
  expect(strayed).toEqual([])
}

test('every fault of the table is possible at some place, and no two faults have the same name', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
  const homeless = faults.filter((fault) =>
    (['a', 'b'] as const).every((type) =>
      [...resourcesOf(type), TOKEN].every((place) => expectedAt(fault, type, place) === null),
    ),
  )
  expect(homeless).toEqual([])
})
