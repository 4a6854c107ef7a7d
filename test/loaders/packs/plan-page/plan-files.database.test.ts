import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { writePlanFiles } from '../../../../loaders/packs/plan-page/plan-files.ts'
import type { Tables } from '../../../../sql/tables.ts'
import { useFolder } from '../../../support/folder.ts'
import { INTEGRATION, runId } from '../../../support/staged.ts'
import { takenBack, useDatabase } from '../../../support/use-database.ts'
import { FACTS } from './sample.ts'

const ITEMS = 9000
const RUN = { integrationId: INTEGRATION, runId: runId(1) }

/** Fills a plan whose attendees are created, updated and removed in turn. */
async function fill(db: Kysely<Tables>): Promise<void> {
  await sql`insert into sync.changes (
      integration_id, run_id, seq, content, unique_id, action, reason, before, after, change_hash, phase, state
    )
    select ${INTEGRATION}, ${RUN.runId}::uuid, number, 'attendees', number::text,
      (array['create', 'update', 'remove'])[1 + number % 3],
      case when number % 3 = 2 then 'removed_at_source' else '' end,
      '{"firstName": "Ada"}', '{"firstName": "Eva"}', '', 'upserts', 'pending'
    from generate_series(1, ${sql.lit(ITEMS)}) as number`.execute(db)
  await sql`analyze sync.changes`.execute(db)
}

async function readSoFar(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where schemaname = 'sync' and relname = 'changes'`.execute(db)
  return Number(rows[0]?.read)
}

describe('on postgres', () => {
  const database = useDatabase('postgres')
  const folder = useFolder()

  test('the three files of a plan are made from one reading of its changes, removals first', async () => {
    const asked: number[] = []
    const share = await takenBack(database(), async (db) => {
      await fill(db)
      const before = await readSoFar(db)
      await writePlanFiles(db, RUN, {
        folder: folder(),
        mode: 'private',
        facts: FACTS,
        personalData: 'full',
        excel: false,
        findPersonalIds: async (ids) => {
          asked.push(ids.length)
          return new Set()
        },
      })
      return ((await readSoFar(db)) - before) / ITEMS
    })
    // Removals are read apart from the other changes, through the same index.
    expect(share).toBeLessThan(2.2)
    // Only people on the pages are looked up: 400 removals, and 100 of each other action.
    expect(asked).toEqual([600])
    const text = readFileSync(join(folder(), 'plan.csv'), 'utf8')
    const rows: readonly Readonly<Record<string, string>>[] = parse(text, { columns: true })
    const actions = rows.map(({ action }) => action)
    expect(actions.length).toBe(ITEMS)
    expect(actions.lastIndexOf('remove')).toBe(ITEMS / 3 - 1)
    const page = readFileSync(join(folder(), 'report.html'), 'utf8')
    const shown = page.match(/[\d,]+ attendees<\/strong> would [a-z]+|[\d,]+ more in/g)
    expect(shown).toEqual([
      '3,000 attendees</strong> would disappear',
      '3,000 attendees</strong> would change',
      '3,000 attendees</strong> would be',
      '2,600 more in',
      '2,900 more in',
      '2,900 more in',
    ])
  })
})
