import { createHash } from 'node:crypto'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { insertFrom } from '../../sql/insert-from.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import type { MissingFields, Scope } from '../declare/contents.ts'
import { exclusions, suppressedOf } from '../declare/exclude.ts'
import type { SourceTransform } from '../declare/source.ts'
import { mergeVersions } from '../history/versions.ts'
import { keepSentAddresses } from './signed-addresses.ts'

/**
 * Makes the decisions and the desired items of a run from the staged records, with SQL inside the database.
 * Decisions and items are merged with their history, so unchanged rows are not written.
 *
 * If neither the staged records nor the SQL statements have changed, the function does nothing, because the
 * results would be the same. An integration whose items also depend on the platform's items is an exception:
 * for it, the function always runs. The function runs in the given transaction; its temporary tables are
 * dropped when the transaction ends.
 *
 * @returns false if the function did nothing because nothing had changed
 */
export async function makeDesired<Options>(
  transaction: Db,
  transform: SourceTransform<Options>,
  scope: Scope<Options>,
  runId: string,
  isStagingNew: boolean,
): Promise<boolean> {
  const { decisions, withFields, excluded } = statementsOf(transaction, transform, scope)
  const statements = [...decisions, ...withFields, ...excluded]
  const basis = await inputFingerprint(transaction, scope, statements)
  if (!isStagingNew && basis.isAsBefore) return false
  await createWorkingTables(transaction)
  for (const statement of decisions) await transaction.executeQuery(statement)
  // All queries on this table look only for synced items.
  await index(transaction, 'content_decisions', 'content', 'unique_id').where('reason', 'is', null).execute()
  // The sessions are looked up for one speaker at a time.
  await index(transaction, 'session_speakers', 'user_id', 'session_id').execute()
  await sql`analyze content_decisions`.execute(transaction)
  await sql`analyze session_speakers`.execute(transaction)
  for (const statement of withFields) await transaction.executeQuery(statement)
  await analyzeOutcomes(transaction)
  if (excluded.length > 0 && ((scope.exclude ?? []).length > 0 || basis.suppressed !== '')) {
    await indexOutcomes(transaction)
    for (const statement of excluded) await transaction.executeQuery(statement)
  }
  await storeOutcomes(transaction, scope, runId, basis.hash)
  return true
}

function index(db: Db, table: string, ...columns: string[]) {
  return db.schema
    .createIndex(`${table}_${columns.at(-1)}`)
    .on(table)
    .columns(columns)
}

/** Updates the statistics of the working table `outcomes`. The caller has filled the table before. */
export async function analyzeOutcomes(transaction: Db): Promise<void> {
  // The column `fields` is not analyzed: no join uses it, and it would take longest to sample.
  await sql`analyze outcomes (content, source_id, unique_id, reason)`.execute(transaction)
}

/** Makes the indexes that the statements of `exclusions` need. */
export async function indexOutcomes(transaction: Db): Promise<void> {
  await index(transaction, 'outcomes', 'content', 'source_id').execute()
  await index(transaction, 'outcomes', 'content', 'unique_id').execute()
}

/**
 * Merges the rows of `outcomes` with the history of decisions and desired items.
 *
 * @param basis hash of everything on which the rows depend, except staged rows. If the hash is null, the next
 *   run makes decisions and items again
 */
export async function storeOutcomes(
  transaction: Db,
  {
    integrationId,
    contents,
    custom = {},
    missing = {},
  }: Pick<Scope<unknown>, 'integrationId' | 'contents' | 'custom' | 'missing'>,
  runId: string,
  basis: Buffer | null,
): Promise<void> {
  const followsPlatform = await keepSentAddresses(transaction, integrationId, contents, custom)
  await mergeDecisionsAndItems(transaction, { integrationId, runId, contents }, missing)
  await transaction
    .updateTable('sync.integrations')
    .set({ transform_basis: followsPlatform ? null : basis })
    .where('integration_id', '=', integrationId)
    .execute()
}

/**
 * Makes the statements that fill the temporary tables from staging. Decisions are made before items, because
 * an item may refer only to items whose record is synced.
 */
function statementsOf<Options>(db: Db, transform: SourceTransform<Options>, scope: Scope<Options>) {
  const contents = transform.contents.filter(({ content }) => scope.contents.includes(content))
  const { sessionSpeakers } = transform
  const named =
    sessionSpeakers === null ? [] : [insertFrom(db, 'session_speakers', sessionSpeakers(db, scope)).compile()]
  const decisions = contents.map(({ content, decisions }) => {
    const made = db
      .selectFrom(decisions(db, scope).as('made'))
      .select([sql.lit(content).as('content'), 'made.source_id', 'made.unique_id', 'made.reason'])
    return insertFrom(db, 'content_decisions', made).compile()
  })
  const withFields = contents.map(({ content, resource, decisionsWithFields }) => {
    const made = db
      .selectFrom(decisionsWithFields(db, scope).as('made'))
      .select([
        sql.lit(content).as('content'),
        sql.lit(resource).as('resource'),
        'made.source_id',
        'made.unique_id',
        'made.reason',
        'made.detail',
        'made.fields',
      ])
    return insertFrom(db, 'outcomes', made).compile()
  })
  return { decisions: [...named, ...decisions], withFields, excluded: exclusions(db, contents, scope) }
}

/**
 * Returns a hash of everything, except staged rows, on which decisions and items depend. The hash covers
 * statements, parameters, suppressions, fields that the platform misses and the server version.
 */
async function inputFingerprint(
  db: Db,
  { integrationId, missing = {} }: Pick<Scope<unknown>, 'integrationId' | 'missing'>,
  statements: readonly CompiledQuery[],
): Promise<{ readonly hash: Buffer; readonly isAsBefore: boolean; readonly suppressed: string }> {
  const { rows } = await sql<{ server: string; basis: Uint8Array | null; suppressed: string }>`
    select version() as server, (
      select transform_basis from sync.integrations where integration_id = ${integrationId}
    ) as basis, (
      select coalesce(string_agg(to_jsonb(array[content, unique_id])::text, '' order by content, unique_id), '')
      from (${suppressedOf(integrationId)}) as item
    ) as suppressed`.execute(db)
  const { server = '', basis = null, suppressed = '' } = rows[0] ?? {}
  const texts = statements.map(({ sql, parameters }) => [sql, parameters])
  const hash = createHash('sha256')
    .update(JSON.stringify([server, texts, suppressed, missing]))
    .digest()
  return { hash, isAsBefore: basis !== null && Buffer.compare(basis, hash) === 0, suppressed }
}

/** Makes the temporary tables in which a run makes decisions and items. */
export async function createWorkingTables(transaction: Db): Promise<void> {
  const bytes = sql`text collate "C"`
  const text = sql`text`
  const ids = { source_id: bytes, unique_id: bytes }
  const tables = {
    session_speakers: { session_id: bytes, user_id: bytes },
    content_decisions: { content: bytes, ...ids, reason: text },
    outcomes: { content: bytes, resource: bytes, ...ids, reason: text, detail: text, fields: sql`jsonb` },
  }
  for (const [name, columns] of Object.entries(tables)) {
    let table = transaction.schema.createTable(name).temporary().onCommit('drop')
    for (const [column, type] of Object.entries(columns)) table = table.addColumn(column, type)
    await table.execute()
  }
}

/** Merges the new decisions and desired items with the stored history of each. */
async function mergeDecisionsAndItems(
  db: Db,
  run: RunKey & { readonly contents: readonly Content[] },
  missing: MissingFields,
): Promise<void> {
  const decisions = db
    .selectFrom('outcomes')
    .select([
      'content',
      'resource',
      'source_id',
      'unique_id',
      sql`case when reason is null then 'synced' else 'excluded' end`.as('decision'),
      sql`coalesce(reason, '')`.as('reason'),
      'detail',
    ])
  const items = db
    .selectFrom('outcomes')
    .where('reason', 'is', null)
    .select(['content', 'unique_id', fieldsWithout(missing).as('fields')])
  const keyed = { key: ['content', 'source_id'], other: ['unique_id', 'reason', 'detail'] }
  await mergeVersions(db, { ...run, ...keyed, table: 'sync.decisions' }, decisions)
  await mergeVersions(
    db,
    { ...run, key: ['content', 'unique_id'], other: ['fields'], table: 'sync.desired_items' },
    items,
  )
}

/** Makes SQL for the fields of an item without those that the platform misses. */
function fieldsWithout(missing: MissingFields): RawBuilder<unknown> {
  const cases = Object.entries(missing).map(
    ([content, names]) => sql`when ${sql.lit(content)} then fields - ${sql.val([...names])}::text[]`,
  )
  return cases.length === 0 ? sql.ref('fields') : sql`case content ${sql.join(cases, sql` `)} else fields end`
}
