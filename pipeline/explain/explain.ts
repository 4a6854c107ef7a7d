import type { Kysely } from 'kysely'
import {
  countRepeated,
  findChanges,
  findDecision,
  findKnown,
  findVersions,
  isUnseen,
} from '../../loaders/explanation/item.ts'
import { type FoundRecords, findRecords } from '../../loaders/explanation/records.ts'
import { findLastRead, findLaterRun, findStarts, type LastRead } from '../../loaders/explanation/runs.ts'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import { referencesOf, resourceOfTable, tableOf } from '../../transforms/lineage.ts'
import { marksOf } from '../../transforms/marks.ts'
import { isPersonalId } from '../commands/personal.ts'
import { type Config, configHash, type IntegrationConfig } from '../config.ts'
import { sourceTypeOf } from '../extract/connect.ts'
import type { ExplainedRecord, Explanation, RunAt, Why } from './explanation.ts'
import { explainFields } from './fields.ts'
import { originsOf, type Sight } from './origins.ts'
import { findReferences } from './references.ts'
import { named, standingOf } from './standing.ts'
import { describeUnknown } from './unknown.ts'
import { type Veil, veilOf } from './veil.ts'

/** What is to be explained, and what may be shown. */
export interface Asked {
  readonly config: Config
  readonly integration: IntegrationConfig
  readonly content: Content
  readonly uniqueId: string
  readonly showPersonal: boolean
}

type Decision = NonNullable<Awaited<ReturnType<typeof findDecision>>>

/**
 * Explains one item: where each field comes from, through which runs, and why; or why there is none.
 *
 * All that it needs is found through indexes by the id.
 *
 * @param db one snapshot
 * @throws where the id is not known
 */
export async function explainItem(db: Kysely<Tables>, asked: Asked): Promise<Explanation> {
  const { integration, content, uniqueId, showPersonal } = asked
  const { id: integrationId, source } = integration
  const key = { integrationId, content, uniqueId }
  const lastRead = await findLastRead(db, integrationId)
  if (lastRead === undefined) {
    throw new Error(`${integrationId}: nothing has been read yet; \`event-sync run ${integrationId}\` does`)
  }
  const { transform } = sourceTypeOf(source)
  const table = tableOf(transform, content)
  const resource = resourceOfTable(table)
  const decision = await findDecision(db, key)
  const versions = await findVersions(db, key)
  const known = (await findKnown(db, key)) ?? null
  const changes = await findChanges(db, key)
  const isNothing = decision === undefined && versions.length === 0 && known === null && changes.length === 0
  if (isNothing) throw new Error(await describeUnknown(db, key, resource, lastRead, showPersonal))

  const records = await findRecords(db, integrationId, transform, table, uniqueId)
  const veil = veilFor(asked, records, versions.at(-1)?.fields ?? known?.fields ?? null)
  const lists = referencesOf(transform, content).map(({ column }) => column)
  const sight =
    records === null
      ? null
      : { source, transform, foldsKeys: transform.people.shape(source).foldsKeys, records, lists, veil }
  const isDesired = versions.at(-1)?.toRun === null
  const isCurrent = decision !== undefined && decision.valid_to_run === null
  const staged = records?.rows[table]
  const starts = await findStarts(db, integrationId, [
    lastRead.run_id,
    ...versions.map(({ fromRun }) => fromRun),
    ...[known?.run_id, decision?.since_run, decision?.valid_to_run].filter((run) => run != null),
    ...[staged?.valid_from_run, staged?.valid_to_run].filter((run) => run != null),
  ])
  const at = (run: string): RunAt => ({ run, at: starts.get(run) ?? '' })
  const marks = isCurrent ? marksOf(decision.detail) : []
  const references =
    isDesired && records !== null
      ? await findReferences(db, key, transform, records, lastRead.contents, veil)
      : new Map()
  const item = {
    content,
    uniqueId,
    versions,
    references,
    marks,
    known: known?.fields ?? null,
    at,
  }
  return {
    integration: integrationId,
    content,
    uniqueId: veil.id(uniqueId),
    standing: isDesired
      ? 'synced'
      : isCurrent
        ? 'excluded'
        : decision === undefined
          ? 'platform_only'
          : 'gone',
    lastRead: { ...at(lastRead.run_id), status: lastRead.status },
    record: staged === undefined ? null : recordOf(resource, veil.id(uniqueId), staged, at),
    why: isDesired || decision === undefined ? null : whyNot(asked, decision, sight, at),
    fields: isDesired && sight !== null ? explainFields(item, sight) : [],
    marks: marks.map(({ mark, field, text }) => ({ mark, field, text })),
    platform: standingOf({
      integrationId,
      isDesired,
      isKnown: known !== null,
      isSame: known !== null && isDesired && isEqual(known.fields, versions.at(-1)?.fields),
      sentBy: known === null ? null : at(known.run_id),
      changes,
      lastRead,
      removals: integration.removals.action,
    }),
    notes: await notesOn(db, asked, lastRead, resource),
  }
}

/** What people without an id go by is their e-mail address, whatever it looks like. */
function veilFor(
  { integration, showPersonal, content, uniqueId }: Asked,
  records: FoundRecords | null,
  fields: Fields | null,
): Veil {
  const { transform } = sourceTypeOf(integration.source)
  const { table, ownId } = transform.people
  const isWithoutId = ownId !== null && Reflect.get(records?.rows[table] ?? {}, ownId) === null
  const isAddress = isPersonalId({ content, uniqueId, before: null, after: fields })
  const personal = isWithoutId || isAddress ? [uniqueId] : []
  return veilOf(transform, showPersonal, new Set(personal))
}

function recordOf(
  resource: string,
  sourceId: string,
  staged: { readonly valid_from_run: string; readonly valid_to_run: string | null },
  at: (run: string) => RunAt,
): ExplainedRecord {
  const { valid_from_run, valid_to_run } = staged
  return {
    resource,
    sourceId,
    since: at(valid_from_run),
    goneSince: valid_to_run === null ? null : at(valid_to_run),
  }
}

function whyNot(
  { content, integration }: Asked,
  decision: Decision,
  sight: Sight | null,
  at: (run: string) => RunAt,
): Why {
  const { reason, since_run, valid_to_run } = decision
  if (valid_to_run !== null) {
    return {
      reason: 'removed_at_source',
      text: 'The source no longer has the record, in a read that was proved complete.',
      todo: 'Nothing, if that is right; else see at the source whether it is still there, and still visible to whoever reads it.',
      values: [],
      since: at(valid_to_run),
    }
  }
  const records = sight?.records.rows ?? {}
  const { why, todo, columns } = sourceTypeOf(integration.source).transform.grounds(
    { content, reason, records },
    integration.source,
  )
  const values = sight === null ? [] : columns.flatMap((column) => originsOf(column, sight))
  return { reason, text: why, todo, values, since: at(since_run) }
}

/** What else whoever reads the explanation should know. */
async function notesOn(
  db: Kysely<Tables>,
  asked: Asked,
  lastRead: LastRead,
  resource: string,
): Promise<readonly string[]> {
  const { config, integration, content, uniqueId } = asked
  const { id: integrationId } = integration
  const run = { integrationId, runId: lastRead.run_id }
  const notes: string[] = []
  const later = await findLaterRun(db, integrationId, lastRead.run_id)
  if (later !== undefined) {
    const what = later.status === 'running' ? 'is under way' : later.status
    notes.push(
      `${named({ run: later.run_id, at: later.started_at.toISOString() })} ${what}; this is what was known before it`,
    )
  }
  if (!lastRead.contents.includes(content)) {
    notes.push(`${content} was not content of the last run; this is what was known before`)
  }
  if (lastRead.config_hash !== configHash(config, integration)) {
    notes.push('the configuration has changed since the last run; the next run may decide otherwise')
  }
  const repeated = await countRepeated(db, run, resource, uniqueId)
  if (repeated > 0) {
    notes.push(
      `the source gave ${repeated + 1} records with this id; the last of them counts, and the others are excluded (duplicate_id): give each an id of its own`,
    )
  }
  if (await isUnseen(db, run, resource, uniqueId)) {
    notes.push(
      `the last run did not see the record, but its read of ${resource} was not proved complete: nothing is concluded from that`,
    )
  }
  return notes
}

function isEqual(one: Fields, other: Fields | undefined): boolean {
  const sorted = (fields: Fields = {}) =>
    JSON.stringify(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return sorted(one) === sorted(other)
}
