import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findBrokenPromises } from '../../pipeline/run/sql-checks.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { engines } from '../support/engines.ts'
import { beforeOfA } from './people.ts'
import { useWorlds, type World } from './world.ts'

const worlds = useWorlds()

/** Makes three runs 100 days ago, and two current runs without changes. */
async function begin(engine: (typeof engines)[number]): Promise<World> {
  const world = await worlds.begin(engine, { source: 'a' }, beforeOfA)
  world.pass(100)
  for (let run = 0; run < 2; run += 1) await world.sync(beforeOfA.at(-1) ?? {})
  return world
}

async function rowsOf(world: World, query: string): Promise<readonly unknown[]> {
  return (await sql.raw(query).execute(world.database().kysely)).rows
}

const CURRENT = [
  'select * from published.attendees order by unique_id',
  'select * from staging.a_users where valid_to_run is null order by source_id',
  'select * from sync.platform_items order by content, unique_id',
  'select integration_id, run_id, manifest_sha256, counts from sync.runs order by run_id',
]

/** Returns the runs that have a pack. The folder of the packs also contains `verify.py`. */
function runsIn(output: string): readonly string[] {
  return readdirSync(join(output, 'summit'))
    .filter((name) => name !== 'verify.py')
    .sort()
}

describe.each(engines)('on %s', (engine) => {
  test('purge deletes the old data of each class and no current data, and `verify` still accepts the chain of packs', async () => {
    const world = await begin(engine)
    const current = async () => Promise.all(CURRENT.map((query) => rowsOf(world, query)))
    const before = await current()
    const runs = runsIn(world.output)

    expect(await world.purge({ keepRuns: 5 })).toMatchObject({ beforeRun: null, classes: [] })
    expect(await world.purge({ olderThanDays: 200 })).toMatchObject({ beforeRun: null })
    const planned = await world.purge({ packs: true, dryRun: true })
    // The purge also deletes the last of the old runs, because the guards compare the next run with a later
    // applied run.
    expect(planned).toMatchObject({ beforeRun: runs[3], dryRun: true })
    expect(planned.packs.map(({ run }) => run)).toEqual(runs.slice(0, 3))
    expect(await current()).toEqual(before)
    expect(await rowsOf(world, 'select * from published.purged_runs')).toEqual([])

    const purged = await world.purge({ packs: true })
    expect({ ...purged, dryRun: true }).toEqual(planned)
    expect(Object.fromEntries(purged.classes.map(({ name, rows }) => [name, rows]))).toMatchObject({
      'history of records': { 'staging.a_users': 2, 'staging.a_sessions': 3 },
      'records set aside': { 'sync.unstaged': 2 },
      'proofs of reads': { 'sync.certificates': 18 },
    })
    expect(await current()).toEqual(before)
    const [first] = runs
    expect(await rowsOf(world, `select * from staging.a_users_as_of('${first}')`)).toEqual([])
    expect(await rowsOf(world, `select * from published.attendees_as_of('${first}')`)).toEqual([])
    expect(await rowsOf(world, 'select run_id from published.purged_runs order by run_id')).toEqual(
      runs.slice(0, 3).map((run_id) => ({ run_id })),
    )
    expect(await rowsOf(world, `select * from staging.a_users_as_of('${runs[3]}')`)).toHaveLength(5)
    expect(readdirSync(join(world.output, 'summit', first ?? '')).sort()).toEqual([
      'details.json',
      'manifest.json',
      'purged.json',
    ])
    expect(await world.verify()).toEqual([])
    await world.exportAll()

    const next = await world.sync(beforeOfA.at(-1) ?? {})
    for (const counts of Object.values(next.changes))
      expect(counts).toMatchObject({ create: 0, update: 0, remove: 0 })
    const manifest = JSON.parse(readFileSync(join(next.output ?? '', 'manifest.json'), 'utf8'))
    expect(manifest.purges).toMatchObject([{ olderThanDays: 90, beforeRun: runs[3], packs: purged.packs }])
    expect(await world.verify()).toEqual([])
    await world.exportAll()
    for (const moment of ['before-apply', 'after-apply'] as const) {
      const key = { integrationId: 'summit', runId: next.run ?? '' }
      expect(
        await findBrokenPromises(world.database().kysely, moment, key, Object.values(TRANSFORMS)),
      ).toEqual([])
    }
    expect(await world.purge({ packs: true })).toMatchObject({ packs: [] })
  })
})

test('purge does not delete figures of the reconciliation or answers of the source that a remaining run uses', async () => {
  const [, , still = {}] = beforeOfA
  const world = await worlds.begin('postgres', { source: 'a' }, [still, still])
  const runs = () => runsIn(world.output)
  const [first, second] = runs()
  const runsWith = async (table: string) =>
    (await rowsOf(world, `select distinct run_id from ${table} order by 1`)).map((row) =>
      Reflect.get(Object(row), 'run_id'),
    )
  const withFigures = () => runsWith('sync.reconciliation')
  const withAnswers = () => runsWith('sync.requests')
  world.pass(100)
  for (let run = 0; run < 2; run += 1) await world.sync(still)
  expect([await withFigures(), await withAnswers()]).toEqual([[first, second], [first]])
  await world.purge({})
  expect([await withFigures(), await withAnswers()]).toEqual([[second], [first]])
  await world.exportAll()
  expect(await world.verify()).toEqual([])

  await world.sync(beforeOfA[0] ?? {})
  world.pass(100)
  for (let run = 0; run < 2; run += 1) await world.sync(beforeOfA[0] ?? {})
  await world.purge({})
  expect(await withFigures()).not.toContain(second)
  expect(await withAnswers()).not.toContain(first)
  await world.exportAll()
  expect(await world.verify()).toEqual([])
})

test('forget names the packs of purged runs that contain the person, because it cannot rewrite these packs', async () => {
  const world = await begin('postgres')
  await world.purge({})
  const runs = runsIn(world.output)
  const { packs } = await world.forget({ sought: { id: 'zyxomma-1' } })
  expect(packs.runs).toEqual(runs.slice(3))
  expect(packs.left.map(({ pack }) => pack)).toEqual(runs.slice(0, 3))
  await world.purge({ packs: true })
  expect((await world.forget({ sought: { id: 'zyxomma-1' } })).packs.left).toEqual([])
  expect((await world.search()).files).toEqual([])
  expect(await world.verify()).toEqual([])
})
