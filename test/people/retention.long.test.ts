import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isNothing } from '../../pipeline/people/retention.ts'
import { PYTHON, runVerifyPy } from '../loaders/verify/verify-py.ts'
import { beforeOfA } from './people.ts'
import { useWorlds, type World } from './world.ts'

const worlds = useWorlds()

/** Number of runs that retention always keeps. */
const KEPT = 10

const still = beforeOfA.at(-1) ?? {}
const all = { most: Number.POSITIVE_INFINITY }

/** Makes three runs with changes and two without, 100 days ago, and `KEPT` current runs without changes. */
async function begin(): Promise<{ readonly world: World; readonly runs: readonly string[] }> {
  const world = await worlds.begin('postgres', { source: 'a' }, [...beforeOfA, still, still])
  world.pass(100)
  for (let run = 0; run < KEPT; run += 1) await world.sync(still)
  const runs = readdirSync(join(world.output, 'summit')).filter((name) => name !== 'verify.py')
  return { world, runs: runs.sort() }
}

/** Returns the runs whose packs have only their manifest, its details and the note of the purge. */
function purgedPacks({ output }: World, runs: readonly string[]): readonly string[] {
  return runs.filter((run) => readdirSync(join(output, 'summit', run)).includes('purged.json'))
}

async function rowsOf(world: World, query: string): Promise<readonly unknown[]> {
  return (await sql.raw(query).execute(world.database().kysely)).rows
}

/** Checks all packs with both verifiers. */
async function requireVerified(world: World): Promise<void> {
  expect(await world.verify()).toEqual([])
  if (PYTHON === null) return
  const { code, stdout } = runVerifyPy([join(world.output, 'summit')])
  expect(code, stdout).toBe(0)
}

test('packs of old runs that found the same as an earlier run lose their files, and no other pack, row or later run is affected', async () => {
  const { world, runs } = await begin()
  // The first run without changes has the report to which the others link.
  const unchanged = runs.slice(4, 5)
  const counts = 'select run_id, counts from sync.runs order by run_id'
  const before = await rowsOf(world, counts)
  const retention = { unchangedRuns: '30d' }
  const planned = await world.previewRetention(retention)
  expect(planned.packs.map(({ run }) => run)).toEqual(unchanged)
  expect(purgedPacks(world, runs)).toEqual([])

  const purged = await world.retain({ retention, ...all })
  expect(purged.packs).toEqual(planned.packs)
  expect(purgedPacks(world, runs)).toEqual(unchanged)
  expect(isNothing(await world.retain({ retention, ...all }))).toBe(true)
  expect(await rowsOf(world, counts)).toEqual(before)
  expect(await rowsOf(world, 'select * from published.purged_runs')).toEqual([])
  expect(await rowsOf(world, "select reason, detail from sync.actions where action = 'purged'")).toEqual([
    { reason: 'retention', detail: `1 pack of runs before ${runs[5]}` },
  ])
  await requireVerified(world)
  await world.exportAll()

  const next = await world.sync(still)
  const manifest = JSON.parse(readFileSync(join(next.output ?? '', 'manifest.json'), 'utf8'))
  expect(manifest.purges).toMatchObject([{ olderThanDays: 30, rows: {}, packs: purged.packs }])
  await requireVerified(world)

  // The packs of the person that have files are written again; the others have no values.
  const { packs } = await world.forget({ sought: { id: 'zyxomma-1' } })
  expect(packs.left).toEqual([])
  expect(packs.runs).not.toContain(unchanged[0])
  expect((await world.search()).files).toEqual([])
  await requireVerified(world)
})

test('retention deletes a part at a time, first rows, then packs, until nothing is left that is too old', async () => {
  const { world, runs } = await begin()
  const retention = { history: '90d', packs: '90d' }
  const planned = await world.previewRetention(retention)
  const parts: { readonly beforeRun: string | null; readonly packs: number }[] = []
  for (;;) {
    const purged = await world.retain({ retention, most: 2 })
    if (isNothing(purged)) break
    parts.push({ beforeRun: purged.beforeRun, packs: purged.packs.length })
  }
  // The run with which guards compare is the last one that was applied.
  expect(parts).toEqual([
    { beforeRun: runs[2], packs: 0 },
    { beforeRun: runs[4], packs: 0 },
    { beforeRun: runs[5], packs: 0 },
    { beforeRun: runs[5], packs: 2 },
    { beforeRun: runs[5], packs: 2 },
    { beforeRun: runs[5], packs: 1 },
  ])
  expect(planned).toMatchObject({ beforeRun: runs[5], dryRun: true })
  expect(planned.packs.map(({ run }) => run)).toEqual(runs.slice(0, 5))
  expect(purgedPacks(world, runs)).toEqual(runs.slice(0, 5))
  await requireVerified(world)
  await world.sync(still)
  await requireVerified(world)
})

test('if a process dies while it deletes the files of packs, the next part deletes the rest', async () => {
  const { world, runs } = await begin()
  const retention = { packs: '90d' }
  let points = 0
  const die = () => {
    points += 1
    if (points === 9) throw new Error('killed')
  }
  await expect(world.retain({ retention, ...all }, die)).rejects.toThrow('killed')
  expect(purgedPacks(world, runs).length).toBeLessThan(5)
  expect(isNothing(await world.retain({ retention, ...all }))).toBe(true)
  for (const run of runs.slice(0, 5)) {
    expect(readdirSync(join(world.output, 'summit', run)).sort()).toEqual([
      'details.json',
      'manifest.json',
      'purged.json',
    ])
  }
  await requireVerified(world)
})
