import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Resources } from '../../harness/serve-records.ts'
import { readPacksIn } from '../../people/packs.ts'
import { beforeOfA, withoutOfA } from '../../people/people.ts'
import { startScriptedSource } from '../../pipeline/commands/scripted-source.ts'
import { type Engine, engines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { type Kept, keepAt, readKept } from './kept.ts'

/** Timeout of a test: each kill needs several processes, and the machine may be busy. */
const MANY_PROCESSES_MS = 1_200_000

const folder = useFolder()

/**
 * The runs before the command, in their order: the records of the source, and the number of days by which the
 * clock is ahead.
 */
type History = readonly { readonly files: Resources; readonly days: number }[]

async function begin(engine: Engine, history: History): Promise<Kept> {
  const source = await startScriptedSource({})
  const kept = await keepAt(engine, join(folder(), 'first'))
  writeFileSync(
    join(kept.at, 'event-sync.yaml'),
    JSON.stringify({
      ...(engine === 'postgres' ? { database: 'env:DATABASE_URL' } : {}),
      sealingKey: 'env:KEY',
      integrations: [
        {
          id: 'summit',
          source: { type: 'a', url: source.url, eventId: '4242' },
          platform: { type: 'jsonl' },
          removals: { maxShare: 1, minCount: 100 },
          guards: { massUpdate: 1, blackout: false, maxQuarantined: 9 },
        },
      ],
    }),
  )
  for (const { files, days } of history) {
    source.records = files
    const { code, stderr } = await kept.command(['run'], { days })
    if (code !== 0) throw new Error(stderr.split('\n').at(-3))
  }
  // `analyze` is run, because the planner's statistics then contain samples of personal values.
  const database = await kept.open()
  await database.script('analyze')
  await database.close()
  return kept
}

/**
 * Points while remains are erased from the files of the database. The points differ between PostgreSQL and
 * PGlite.
 */
const OF_FILES = ['table scrubbed', 'rebuilt whole', 'old directory gone', 'rebuilt in place']

/**
 * Returns the kills for each point: at the first and the last time it is reached, and once in between if it
 * is reached often. On PGlite each kill takes long, so points that both engines have are tested only at the
 * last time.
 */
function deathsAt(engine: Engine, points: readonly string[]): readonly string[] {
  return [...new Set(points)].flatMap((point) => {
    const hits = points.filter((one) => one === point).length
    const isShort = engine === 'pglite' && !OF_FILES.includes(point)
    const all = isShort ? [hits] : [1, hits > 20 && engine === 'postgres' ? Math.ceil(hits / 2) : hits, hits]
    return [...new Set(all)].map((hit) => `${point} ${hit}`)
  })
}

const FORGET = ['forget', 'summit', 'attendees', 'zyxomma-1', '--vacuum-full']
const PURGE = ['purge', '--older-than', '30d', '--keep-runs', '2', '--packs']

const STORIES = [
  {
    name: 'forget',
    args: FORGET,
    days: 0,
    history: beforeOfA.map((files) => ({ files, days: 0 })),
    points: ['erasure begun', 'erasure written', 'person erased', 'manifest kept', 'pack file written'],
  },
  {
    name: 'purge',
    args: PURGE,
    days: 100,
    history: [
      ...beforeOfA.map((files) => ({ files, days: 0 })),
      ...[1, 100, 100].map((days) => ({ files: withoutOfA, days })),
    ],
    points: ['purge noted', 'rows purged', 'pack purged'],
  },
  {
    name: 'erase',
    args: ['erase', 'summit', '--confirm', 'summit'],
    days: 0,
    history: beforeOfA.map((files) => ({ files, days: 0 })),
    points: ['rows purged', 'pack purged'],
  },
] as const

describe.each(engines)('on %s', (engine) => {
  test.each(STORIES)(
    'if $name is killed at any point and repeated, the result is the same as without the kill',
    async ({ name, args, days, history, points }) => {
      const first = await begin(engine, history)
      const findingsIn = ({ at }: Kept) => readPacksIn(join(at, 'out', 'summit'), null)
      expect((await readKept(first)).places.length).toBeGreaterThan(10)

      const whole = await first.copy()
      const undisturbed = await whole.command(args, { days })
      expect([undisturbed.code, undisturbed.points]).toEqual([0, expect.arrayContaining([...points])])
      if (engine === 'pglite') expect(undisturbed.points.slice(-3)).toEqual(OF_FILES.slice(1))
      const expected = await readKept(whole)
      expect(expected.places).toEqual([])
      expect(await findingsIn(whole)).toEqual([])

      for (const death of deathsAt(engine, undisturbed.points)) {
        const kept = await first.copy()
        const died = await kept.command(args, { days, death })
        expect([death, died.code]).toEqual([death, null])
        const again = await kept.command(args, { days })
        expect([death, again.code, again.code === 0 ? '' : again.stderr]).toEqual([death, 0, ''])
        expect([death, await findingsIn(kept)]).toEqual([death, []])
        expect({ death, ...(await readKept(kept)) }).toEqual({ death, ...expected })
        await kept.drop()
      }

      // A further run must continue the chain of packs.
      const anew = name === 'erase' ? ['--fresh'] : []
      const next = await whole.command(['run', ...anew], { days: days + 1 })
      expect([next.code, next.code === 0 ? '' : next.stderr.slice(-600), await findingsIn(whole)]).toEqual([
        0,
        '',
        [],
      ])
      await whole.drop()
      await first.drop()
    },
    MANY_PROCESSES_MS,
  )
})
