import { type Kysely, type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { noMask } from '../../../loaders/packs/csv-files/csv.ts'
import {
  changesFile,
  decisionsFile,
  itemsFile,
  loadResultsFile,
} from '../../../loaders/packs/csv-files/pack-files.ts'
import type { Content, Tables } from '../../../sql/tables.ts'
import { INTEGRATION, runId } from '../../support/staged.ts'
import { takenBack, useDatabase } from '../../support/use-database.ts'

const ITEMS = 12_000
const RUN = { integrationId: INTEGRATION, runId: runId(1) }

/**
 * Fills the tables as they are directly after a first run that planned and applied every item. The planner of
 * PostgreSQL has statistics from before the plan was applied, and the old versions of updated rows still
 * exist. For a tenth of the records, there is also a repeated record.
 */
async function fill(db: Kysely<Tables>): Promise<void> {
  const numbers = sql`generate_series(1, ${sql.lit(ITEMS)}) as number`
  const scope = sql`${INTEGRATION}, 'attendees'`
  await sql`insert into sync.desired_items (integration_id, content, unique_id, fields, valid_from_run)
    select ${scope}, number::text, '{"firstName": "Ada"}', ${runId(1)}::uuid from ${numbers}`.execute(db)
  await sql`insert into sync.decisions (integration_id, content, resource, source_id, unique_id, decision, reason, detail, valid_from_run)
    select ${scope}, 'registrants', number::text, number::text, 'synced', '', '', ${runId(1)}::uuid from ${numbers}`.execute(
    db,
  )
  await sql`insert into sync.unstaged (integration_id, run_id, resource, ordinal, source_id, id, reason, path, detail)
    select ${INTEGRATION}, ${runId(1)}::uuid, 'registrants', number, number::text, number::text, 'duplicate_id', '', ''
    from ${numbers} where number % 10 = 0`.execute(db)
  await sql`insert into sync.changes (integration_id, run_id, seq, content, unique_id, action, reason, after, change_hash, phase, state)
    select ${INTEGRATION}, ${runId(1)}::uuid, number, 'attendees', number::text, 'create', '', '{"firstName": "Ada"}', '', 'upserts', 'pending'
    from ${numbers}`.execute(db)
  await sql`analyze sync.desired_items, sync.decisions, sync.unstaged, sync.changes`.execute(db)
  await sql`update sync.changes set state = 'applied', result = 'created'`.execute(db)
}

/** Returns the number of rows that the transaction has read so far, in any way, from all tables of `sync`. */
async function readSoFar(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read
    from pg_stat_xact_user_tables where schemaname = 'sync'`.execute(db)
  return Number(rows[0]?.read)
}

describe('on postgres, right after a first run', () => {
  const database = useDatabase('postgres')

  test('writing a file of a pack reads each row a few times, not once for every page, with few queries if rows are short', async () => {
    let queries = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        queries += 1
        return result
      },
    }
    const shares = await takenBack(database(), async (db) => {
      await fill(db)
      const counted = db.withPlugin(counting)
      const resourceOf = new Map<Content, string>([['attendees', 'registrants']])
      const found: Record<string, number> = {}
      for (const { name, pages } of [itemsFile('attendees'), decisionsFile, changesFile, loadResultsFile]) {
        const before = await readSoFar(db)
        queries = 0
        let written = 0
        for await (const page of pages({ db: counted, run: RUN, resourceOf, timeZone: null, mask: noMask }))
          written += page.length
        expect(written).toBeGreaterThanOrEqual(ITEMS)
        const hasShortRows = name === decisionsFile.name || name === loadResultsFile.name
        expect(written / queries).toBeGreaterThan(hasShortRows ? 2000 : 400)
        found[name] = ((await readSoFar(db)) - before) / written
      }
      return found
    })
    // Writing a row of a file needs one read for an item or a decision, and one read for its change.
    for (const share of Object.values(shares)) expect(share).toBeLessThan(2.5)
  })
})
