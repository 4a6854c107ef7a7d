import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type SamplePlatform,
  samplePlatformDefaults,
  startSamplePlatform,
} from '../../harness/sample-platform/start.ts'
import { readPacksIn } from '../../people/packs.ts'
import { startScriptedSource } from '../../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../../pipeline/commands/small-event.ts'
import { useFolder } from '../../support/folder.ts'
import { type Kept, keepAt } from './kept.ts'

/** Timeout of a test. Each kill starts several processes, and the machine may be busy. */
const MANY_PROCESSES_MS = 900_000

const folder = useFolder()

const { Users = [] } = smallEvent

const changed = {
  ...smallEvent,
  Sessions: [{ Id: 101, Title: 'Grand opening', TimeSlotId: 1, Speakers: [{ Id: 'u2' }] }],
  Users: Users.slice(0, 3),
}

/**
 * Returns the first and the last time at which each point is reached. The test kills the process at these
 * times.
 */
function deathsAt(points: readonly string[]): readonly string[] {
  return [...new Set(points)].flatMap((point) => {
    const hits = points.filter((one) => one === point).length
    return [...new Set([1, hits])].map((hit) => `${point} ${hit}`)
  })
}

async function itemsOf(kept: Kept): Promise<readonly unknown[]> {
  const database = await kept.open()
  const items = database.kysely.selectFrom('sync.platform_items').select(['content', 'unique_id', 'fields'])
  return items
    .orderBy('content')
    .orderBy('unique_id')
    .execute()
    .finally(() => database.close())
}

test.each(['jsonl', 'http'] as const)(
  'a rollback that is killed at any point, and then repeated, has the result of an undisturbed rollback; platform %s',
  async (type) => {
    const source = await startScriptedSource(smallEvent)
    const first = await keepAt('postgres', join(folder(), type))
    const storage = (of: Kept) => join(of.at, 'out', 'platform')
    const running: { platform: SamplePlatform | null } = { platform: null }
    let port: number | undefined
    /**
     * Starts the platform again with the state that a folder contains. The address of the platform stays the
     * same.
     */
    async function openPlatform(of: Kept): Promise<void> {
      await running.platform?.close()
      const platform = await startSamplePlatform({
        storage: storage(of),
        ...(port === undefined ? {} : { port }),
      })
      port = Number(new URL(platform.url).port)
      running.platform = platform
    }
    if (type === 'http') await openPlatform(first)
    const token = join(first.at, 'token')
    writeFileSync(token, samplePlatformDefaults.token)
    const target =
      running.platform === null
        ? { platform: { type } }
        : {
            platform: { ...running.platform.config(2), token: `file:${token}` },
            passwords: { mode: 'none' },
          }
    const config = configOfA(source.url, target)
    writeFileSync(
      join(first.at, 'event-sync.yaml'),
      JSON.stringify({ database: 'env:DATABASE_URL', sealingKey: 'env:KEY', ...config }),
    )
    const stateOf = async (kept: Kept) => ({
      items: await itemsOf(kept),
      platform: (await running.platform?.control('state'))?.items ?? null,
      findings: await readPacksIn(join(kept.at, 'out', 'summit'), null),
    })
    expect(await first.command(['run'])).toMatchObject({ code: 0 })
    const before = await stateOf(first)
    const database = await first.open()
    const { run_id: to } = await database.kysely
      .selectFrom('sync.runs')
      .select('run_id')
      .executeTakeFirstOrThrow()
    await database.close()
    source.records = changed
    expect(await first.command(['run'])).toMatchObject({ code: 0 })

    async function copyOf(kept: Kept): Promise<Kept> {
      const copy = await kept.copy()
      if (type === 'http') await openPlatform(copy)
      return copy
    }
    const hashIn = (text: string) => /apply summit ([0-9a-f]{64})/.exec(text)?.[1] ?? ''
    const rollback = ['rollback', 'summit', to, '--json']

    const whole = await copyOf(first)
    const planned = await whole.command(rollback)
    expect([planned.code, planned.points]).toEqual([2, expect.arrayContaining(['plan made', 'plan stored'])])
    const waiting = await whole.copy()
    const applied = await whole.command(['apply', 'summit', hashIn(planned.stderr)])
    expect([applied.code, applied.points]).toEqual([
      0,
      expect.arrayContaining(['apply begun', 'plan applied']),
    ])
    expect(await stateOf(whole)).toEqual(before)

    for (const death of deathsAt(planned.points)) {
      const kept = await copyOf(first)
      expect([death, (await kept.command(rollback, { death })).code]).toEqual([death, null])
      const again = await kept.command(rollback)
      expect([death, again.code]).toEqual([death, 2])
      expect((await kept.command(['apply', 'summit', hashIn(again.stderr)])).code).toBe(0)
      expect({ death, ...(await stateOf(kept)) }).toEqual({ death, ...before })
      await kept.drop()
    }
    for (const death of deathsAt(applied.points)) {
      const kept = await copyOf(waiting)
      const apply = ['apply', 'summit', hashIn(planned.stderr)]
      expect([death, (await kept.command(apply, { death })).code]).toEqual([death, null])
      // After its last point, the run has ended, so `apply` says that the plan was already applied.
      const { code } = await kept.command(apply)
      expect([death, code]).toEqual([death, death.startsWith('run finished') ? 4 : 0])
      expect({ death, ...(await stateOf(kept)) }).toEqual({ death, ...before })
      await kept.drop()
    }
    await running.platform?.close()
  },
  MANY_PROCESSES_MS,
)
