import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { FaultOrder } from '../harness/sample-platform/faults.ts'
import type { SamplePlatform } from '../harness/sample-platform/start.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { startScriptedSource } from './commands/scripted-source.ts'
import { smallEvent } from './commands/small-event.ts'
import { syncToPlatform } from './sync-to-platform.ts'

const CANARY = 'canary-of-a-password'
const TOKEN = 'canary-of-a-token'
const FAULTS: readonly (readonly [string, FaultOrder])[] = [
  ['nothing fails', { fault: 'shuffleResults' }],
  ['the platform fails after each commit', { fault: 'failAfterCommit', count: 'always' }],
  ['the platform fails before each commit', { fault: 'failBeforeCommit', count: 'always' }],
  [
    'attendees are rejected',
    { fault: 'failOperation', uniqueId: 'u2', content: 'attendees', count: 'always' },
  ],
  ['batches are refused whole', { fault: 'refuseBatch', uniqueId: 'u2', count: 'always' }],
  ['results are left out', { fault: 'omitsAResult' }],
  ['the platform limits the rate', { fault: 'rateLimit', seconds: 100_000, count: 'always' }],
]

describe.each(engines)('passwords and tokens appear in no log, row or file, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useFolder()
  const platforms = usePlatforms()
  let platform: SamplePlatform

  beforeEach(async () => {
    await emptyTables(database().kysely)
    platform = await platforms.start({ token: TOKEN })
  })

  /** Returns every row of every table as text. */
  async function everyRow(): Promise<string> {
    const db = database().kysely
    const rows: unknown[] = []
    for (const { schema, name } of await db.introspection.getTables()) {
      const found =
        await sql`select row_to_json(t)::text as row from ${sql.table(`${schema}.${name}`)} as t`.execute(db)
      rows.push(...found.rows)
    }
    return JSON.stringify(rows)
  }

  /** Returns the content of every file in a folder and its subfolders. */
  function everyFile(folder: string): string {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n')
  }

  test.each(FAULTS)('while %s', async (_, fault) => {
    const source = await startScriptedSource(smallEvent)
    await platform.control('faults', [fault])
    const sync = {
      database: database(),
      sourceUrl: source.url,
      platform,
      output: output(),
      password: CANARY,
      retryBudgetSeconds: 2,
      integration: { passwords: { mode: 'global', global: 'env:PASSWORD' } },
    }
    const first = await syncToPlatform(sync)
    await platform.control('faults', [])
    const second = await syncToPlatform(sync)
    expect(second.last.error).toBeUndefined()

    const told = first.log + second.log + JSON.stringify([first.reports, second.reports])
    const kept = (await everyRow()) + everyFile(output()) + everyFile(platforms.folder())
    for (const secret of [CANARY, TOKEN]) {
      expect(told).not.toContain(secret)
      expect(kept).not.toContain(secret)
    }
    // Only operations that created attendees sent a password to the platform.
    const { ledger } = await platform.control('ledger')
    for (const { content, effect, passwordGiven } of ledger) {
      expect(passwordGiven).toBe(content === 'attendees' && effect === 'created')
    }
    expect(await platform.control('password', { uniqueId: 'u1', password: CANARY })).toEqual({
      matches: true,
    })
  })
})
