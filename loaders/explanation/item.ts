import { countRows, ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { lookupsOf } from '../../transforms/decide/lineage.ts'
import type { StagedRecords } from '../../transforms/declare/field.ts'
import { flatFields } from '../../transforms/declare/field-values.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'
import type { AnyTransform, StagedColumn } from '../../transforms/declare/source.ts'
import { isJsonObject, type Json, type JsonObject, toJsonNumber } from '../../transforms/rules/values.ts'

/** The key of an item, or of a record that would become the item with this unique ID. */
export interface ItemKey {
  readonly integrationId: string
  readonly content: Content
  readonly uniqueId: string
}

const MOST_CHANGES = 50

/**
 * Returns the last decision on the record of an item, which says why the record is synced or left out. If the
 * record is gone from the source, the decision about it is no longer current.
 *
 * Usually the source id of a record is also the unique ID of its item. A speaker without an id is an
 * exception: its item has no unique ID, and its source id is the e-mail address.
 */
export async function findDecision(db: Db, { integrationId, content, uniqueId }: ItemKey) {
  const rows = await db
    .selectFrom('sync.decisions')
    .where(({ and }) => and({ integration_id: integrationId, content, source_id: uniqueId }))
    .orderBy('valid_from_run', 'desc')
    .select(['decision', 'reason', 'detail', 'valid_from_run', 'valid_to_run'])
    .execute()
  const [last] = rows
  if (last === undefined) return undefined
  let since = last
  // Successive rows with equal reasons count as one decision, even if their details differ.
  for (const row of rows.slice(1)) {
    if (row.valid_to_run !== since.valid_from_run || row.reason !== since.reason) break
    since = row
  }
  return { ...last, since_run: since.valid_from_run }
}

/** Returns all versions of the item that the platform should have, oldest first. */
export async function findVersions(db: Db, { integrationId, content, uniqueId }: ItemKey) {
  const rows = await db
    .selectFrom('sync.desired_items')
    .where(({ and }) => and({ integration_id: integrationId, content, unique_id: uniqueId }))
    .orderBy('valid_from_run')
    .select(['fields', 'valid_from_run', 'valid_to_run'])
    .execute()
  return rows.map((row) => ({
    fields: flatFields(row.fields),
    fromRun: row.valid_from_run,
    toRun: row.valid_to_run,
  }))
}

/** Returns the item that the platform has, according to this database. */
export function findKnown(db: Db, { integrationId, content, uniqueId }: ItemKey) {
  return db
    .selectFrom('sync.platform_items')
    .where(({ and }) => and({ integration_id: integrationId, content, unique_id: uniqueId }))
    .select(['fields', 'run_id'])
    .executeTakeFirst()
}

/** Returns the changes that runs planned for an item, with their results, newest first. */
export function findChanges(db: Db, { integrationId, content, uniqueId }: ItemKey) {
  return (
    db
      .selectFrom('sync.runs as run')
      // The lateral join makes one index lookup per run; another join would scan the changes of all runs.
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('sync.changes as of_run')
            .whereRef('of_run.integration_id', '=', 'run.integration_id')
            .whereRef('of_run.run_id', '=', 'run.run_id')
            .where(({ and }) => and({ 'of_run.content': content, 'of_run.unique_id': uniqueId }))
            .limit(1)
            .select(['of_run.action', 'of_run.reason', 'of_run.state', 'of_run.code', 'of_run.retryable'])
            .as('change'),
        (join) => join.onTrue(),
      )
      .where('run.integration_id', '=', integrationId)
      .where('run.plan_hash', 'is not', null)
      .orderBy('run.run_id', 'desc')
      .limit(MOST_CHANGES)
      .select([
        'run.run_id',
        'run.started_at',
        'run.status',
        'run.held',
        'run.plan_hash',
        'run.rollback_to',
        'change.action',
        'change.reason',
        'change.state',
        'change.code',
        'change.retryable',
      ])
      .execute()
  )
}

export type ItemChange = Awaited<ReturnType<typeof findChanges>>[number]

/**
 * Counts the records with this id that a run ignored because a later record of the same read has the same id.
 */
export async function countRepeated(db: Db, run: RunKey, resource: string, sourceId: string) {
  const records = db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where(({ and }) => and({ resource, source_id: sourceId, reason: 'duplicate_id' }))
  return countRows(records)
}

/**
 * Returns the certificate of a read that did not see a record and kept the record anyway. Returns undefined
 * if no such certificate exists.
 */
export function findUnseen(db: Db, { integrationId, runId }: RunKey, resource: string, sourceId: string) {
  return db
    .selectFrom('sync.unseen as unseen')
    .innerJoin('sync.certificates as certificate', (join) =>
      join
        .onRef('certificate.integration_id', '=', 'unseen.integration_id')
        .onRef('certificate.run_id', '=', 'unseen.run_id')
        .onRef('certificate.resource', '=', 'unseen.resource'),
    )
    .where('unseen.integration_id', '=', integrationId)
    .where('unseen.run_id', '=', runId)
    .where(({ and }) => and({ 'unseen.resource': resource, 'unseen.source_id': sourceId }))
    .select(['certificate.certified', 'certificate.detail'])
    .executeTakeFirst()
}

/** Returns the other contents in which an item with this unique ID is known. */
export async function findElsewhere(db: Db, key: ItemKey, contents: readonly Content[]) {
  const known: Content[] = []
  for (const content of contents.filter((one) => one !== key.content)) {
    const other = { ...key, content }
    if ((await findDecision(db, other)) ?? (await findKnown(db, other))) known.push(content)
  }
  return known
}

/**
 * Counts the records of a resource that a run could not read. An unreadable record may be the record that
 * seems to be missing.
 */
export async function countQuarantined(db: Db, run: RunKey, resource: string): Promise<number> {
  const records = db
    .selectFrom('sync.unstaged')
    .$call(ofRun(run))
    .where(({ and }) => and({ resource, reason: 'invalid_record' }))
  return countRows(records)
}

type Table = keyof StagingTables

/** A staged record, and the records that are joined to it. */
export interface FoundRecords {
  /** Rows by table; lookup tables that the source does not have are left out. */
  readonly rows: StagedRecords
  /** Ids of the records by table; lookup tables that the source does not have are included. */
  readonly ids: ReadonlyMap<Table, string>
  readonly docs: ReadonlyMap<Table, JsonObject>
}

/**
 * Finds the newest version of a record and the current records to which the record refers. Returns null if
 * the record never existed.
 *
 * @param asOf if set, finds the versions that were the newest at the end of this run
 */
export async function findRecords(
  db: Db,
  integrationId: string,
  source: AnyTransform,
  table: Table,
  sourceId: string,
  asOf: string | null = null,
): Promise<FoundRecords | null> {
  const record = await findRecord(db, integrationId, table, sourceId, asOf)
  if (record === undefined) return null
  const found: [Table, string, typeof record | undefined][] = [[table, sourceId, record]]
  for (const { resource, by } of lookupsOf(source, table)) {
    const lookup = resource.table as Table
    const id = record[by.name as 'source_id']
    if (id === null) continue
    const joined = await findRecord(db, integrationId, lookup, id, asOf)
    const goneSince = joined?.valid_to_run ?? null
    const isCurrent = goneSince === null || (asOf !== null && goneSince > asOf)
    found.push([lookup, id, isCurrent ? joined : undefined])
  }
  const there = found.flatMap(([name, , row]) => (row === undefined ? [] : [[name, row] as const]))
  return {
    rows: Object.fromEntries(there),
    ids: new Map(found.map(([name, id]) => [name, id])),
    docs: new Map(there.map(([name, row]) => [name, toDocument(row.doc_text)])),
  }
}

function findRecord(db: Db, integrationId: string, table: Table, sourceId: string, asOf: string | null) {
  return db
    .selectFrom(asAny(table))
    .where(({ and }) => and({ integration_id: integrationId, source_id: sourceId }))
    .$if(asOf !== null, (query) => query.where('valid_from_run', '<=', asOf ?? ''))
    .orderBy('valid_from_run', 'desc')
    .limit(1)
    .selectAll()
    .select((eb) => eb.cast<string>('doc', 'text').as('doc_text'))
    .executeTakeFirst()
}

/** Parses JSON, and keeps all digits of its numbers. */
export function toDocument(text: string): JsonObject {
  // TypeScript's types do not declare the third argument of a `JSON.parse` callback; Node passes it from
  // version 21.
  const withDigits = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? toJsonNumber(context.source) : value
  const document = JSON.parse(text, withDigits) as Json
  return isJsonObject(document) ? document : {}
}

/**
 * Returns why some records are not synced, as a map from source id to reason. The reason of a synced record
 * is empty.
 */
export async function findReasons(
  db: Db,
  integrationId: string,
  content: Content,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (sourceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync.decisions')
    .where(({ and }) => and({ integration_id: integrationId, content }))
    .where('source_id', 'in', [...sourceIds])
    .where('valid_to_run', 'is', null)
    .select(['source_id', 'reason'])
    .execute()
  return new Map(rows.map((row) => [row.source_id, row.reason]))
}

/** Returns the ids of the current records whose list column contains the given id, sorted by bytes. */
export async function findNaming(db: Db, integrationId: string, [table, column]: StagedColumn, id: string) {
  const rows = await db
    .selectFrom(asAny(table))
    .where(({ and }) => and({ integration_id: integrationId, valid_to_run: null }))
    .where((eb) => eb(eb.val(id), '=', eb.fn.any(column as 'speaking_at')))
    .orderBy('source_id')
    .select('source_id')
    .execute()
  return rows.map((row) => row.source_id)
}

/**
 * Returns the last run that stored a plan, which is the last run with complete data. A run's records,
 * decisions and plan become visible together. A later run without a plan has no visible data yet.
 */
export function findLastRead(db: Db, integrationId: string) {
  return reads(db, integrationId).executeTakeFirst()
}

/**
 * Returns the run whose state the platform shows: the last run whose changes were all sent and answered. Runs
 * that were purged are left out, because their decisions are deleted.
 */
export function findLandedRead(db: Db, integrationId: string) {
  return reads(db, integrationId)
    .where('applied_at', 'is not', null)
    .where('purged_at', 'is', null)
    .executeTakeFirst()
}

function reads(db: Db, integrationId: string) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('plan_hash', 'is not', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(['run_id', 'rollback_to', 'status', 'started_at', 'contents'])
    .select(['held', 'certified', 'config_hash', 'plan_hash'])
    .select(['planned_at', 'applied_at', 'counts'])
}

export type LastRead = NonNullable<Awaited<ReturnType<typeof findLastRead>>>

/**
 * Returns the newest run that is later than the given run. If the given run is the last run with a plan, then
 * the later run is still reading, has failed, or has died.
 */
export function findLaterRun(db: Db, integrationId: string, runId: string) {
  return db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '>', runId)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select(['run_id', 'status', 'started_at'])
    .executeTakeFirst()
}

export async function findStarts(db: Db, integrationId: string, runIds: readonly string[]) {
  if (runIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', 'in', [...new Set(runIds)])
    .select(['run_id', 'started_at'])
    .execute()
  return new Map(rows.map((row) => [row.run_id, row.started_at.toISOString()]))
}
