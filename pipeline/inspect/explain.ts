import type { Kysely } from 'kysely'
import {
  countQuarantined,
  countRepeated,
  type FoundRecords,
  findChanges,
  findDecision,
  findElsewhere,
  findKnown,
  findLastRead,
  findLaterRun,
  findRecords,
  findStarts,
  findUnseen,
  findVersions,
  type LastRead,
} from '../../loaders/explanation/item.ts'
import { findSuppressed } from '../../loaders/ledger/suppressed.ts'
import { changedFields } from '../../loaders/packs/csv-files/rows.ts'
import { CONTENTS, type Content, type Pin, type Tables } from '../../sql/tables.ts'
import { referencesOf, resourceOfTable, tableOf } from '../../transforms/decide/lineage.ts'
import { type FlatFields, flatFields } from '../../transforms/declare/field-values.ts'
import { ROLLED_BACK } from '../../transforms/declare/reasons.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import { warningsOf } from '../../transforms/plan/warnings.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { addressesIn, isAddress, isPersonalId } from '../../transforms/rules/personal-ids.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { type Config, configHash, type IntegrationConfig } from '../config/config.ts'
import { customOf } from '../context/run-context.ts'
import { eventReadBy } from '../context/suppression.ts'
import { irremovableOf } from '../run/irremovable.ts'
import { HIDDEN } from '../runtime/personal.ts'
import { word } from '../runtime/visible.ts'
import type { Explanation, RunAt, Why } from '../schemas/items.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import {
  type ExplainContext,
  explainFields,
  findReferences,
  lineageWithCustom,
  originsAt,
  originsOf,
  type Redactor,
  redactorOf,
  type SyncedItem,
} from './fields.ts'
import { ruleOf, wordsOfOwnReason } from './own-reasons.ts'
import { named, platformStateOf } from './platform-state.ts'

export interface Asked {
  readonly config: Config
  readonly integration: IntegrationConfig
  readonly content: Content
  readonly uniqueId: string
  readonly showPersonal: boolean
  /** Returns the token that replaces a forgotten person's id; null if no person with the id was forgotten. */
  readonly tokenOf?: (id: string) => string | null
  /** The pin of the integration; null if the integration is not pinned now. */
  readonly pinned?: Pin | null
}

type StoredDecision = NonNullable<Awaited<ReturnType<typeof findDecision>>>

/**
 * Explains one item: where each field came from, which runs set it, and which rules apply. If the item does
 * not exist, the explanation says why. All data is read by id, through indexes, so that the explanation is
 * fast.
 *
 * @param db a transaction whose queries see one snapshot
 * @throws if the id is not known
 */
export async function explainItem(db: Kysely<Tables>, asked: Asked): Promise<Explanation> {
  const { integration, content, uniqueId, pinned = null } = asked
  const { id: integrationId, source } = integration
  const key = { integrationId, content, uniqueId }
  const lastRead = await findLastRead(db, integrationId)
  if (lastRead === undefined) {
    throw new Error(
      `${integrationId}: nothing has been read yet; run \`event-sync run ${integrationId}\` first`,
    )
  }
  const { transform } = sourceTypeOf(source)
  const table = tableOf(transform, content)
  const resource = resourceOfTable(table)
  const decision = await findDecision(db, key)
  const versions = await findVersions(db, key)
  const token = content === 'agenda' ? null : (asked.tokenOf?.(uniqueId) ?? null)
  const isForgotten = token !== null
  const atPlatform = { ...key, uniqueId: token ?? uniqueId }
  const sent = await findKnown(db, atPlatform)
  const known = sent === undefined ? null : flatFields(sent.fields)
  const changes = await findChanges(db, atPlatform)
  const isNothing = decision === undefined && versions.length === 0 && known === null && changes.length === 0
  // If a person has no id, the unique ID is the normalised e-mail address. The user may have typed the
  // address in another form, so it is normalised here.
  const address = isAddress(uniqueId) ? addressKey(uniqueId) : uniqueId
  if (isNothing && address !== uniqueId) return explainItem(db, { ...asked, uniqueId: address })
  if (isNothing && !isForgotten) throw new Error(await describeUnknown(db, asked, resource, lastRead))

  const records = await findRecords(db, integrationId, transform, table, uniqueId)
  const last = versions.at(-1)
  const redactor = redactorFor(asked, records, last?.fields ?? known)
  const context: ExplainContext | null = records && {
    source,
    transform,
    foldsKeys: transform.people.keys(source).foldsKeys,
    records,
    lists: referencesOf(transform, content).map(({ column }) => column),
    redactor,
    custom: customOf(integration),
  }
  const isDesired = last?.toRun === null
  const isCurrent = decision !== undefined && decision.valid_to_run === null
  const staged = records?.rows[table]
  const runs = [sent?.run_id, decision?.since_run, decision?.valid_to_run]
  const stagedRuns = [staged?.valid_from_run, staged?.valid_to_run]
  const starts = await findStarts(db, integrationId, [
    lastRead.run_id,
    ...versions.map(({ fromRun }) => fromRun),
    ...[...runs, ...stagedRuns].filter((run) => run != null),
  ])
  const at = (run: string): RunAt => ({ run, at: starts.get(run) ?? '' })
  const warnings = isCurrent ? warningsOf(decision.detail) : []
  const references =
    isDesired && records !== null
      ? await findReferences(db, key, transform, records, lastRead.contents, redactor)
      : new Map()
  const suppressed = await noteSuppressed(db, asked)
  const item = { content, uniqueId, versions, references, warnings, known, at }
  return {
    integration: integrationId,
    content,
    uniqueId: redactor.id(uniqueId),
    standing: standingOf(isForgotten, isDesired, isCurrent, decision !== undefined),
    lastRead: { ...at(lastRead.run_id), status: lastRead.status },
    record:
      staged === undefined
        ? null
        : {
            resource,
            sourceId: redactor.id(uniqueId),
            since: at(staged.valid_from_run),
            goneSince: staged.valid_to_run === null ? null : at(staged.valid_to_run),
          },
    why: isForgotten
      ? FORGOTTEN
      : isDesired || decision === undefined
        ? null
        : whyNot(asked, decision, context, at, lastRead),
    fields: isDesired && !isForgotten && context !== null ? explainFields(item, context) : [],
    marks: warnings.map(({ warning, field, text }) => ({ mark: warning, field, text })),
    platform: platformStateOf({
      integrationId,
      isDesired: isDesired && !isForgotten,
      isForgotten,
      isKnown: known !== null,
      isSame: known !== null && isDesired && changedFields(known, last.fields).length === 0,
      sentBy: sent === undefined ? null : at(sent.run_id),
      changes,
      lastRead,
      removals: irremovableOf(integration).includes(content) ? 'impossible' : integration.removals.action,
      pinned,
    }),
    leftOutNext: isDesired && suppressed.length > 0,
    pinned,
    notes: [...(await notesOn(db, asked, lastRead, resource)), ...suppressed],
  }
}

const FORGOTTEN: Why = {
  reason: 'forgotten',
  text: 'The person was forgotten, with event-sync forget: every read drops the record.',
  todo: 'Nothing: no command takes that back.',
  values: [],
  since: null,
}

function redactorFor(asked: Asked, records: FoundRecords | null, fields: FlatFields | null): Redactor {
  const { transform } = sourceTypeOf(asked.integration.source)
  const { table, ownId, address } = transform.people
  const person: Readonly<Record<string, unknown>> = records?.rows[table] ?? {}
  const isPersonal = isPersonalId(asked.uniqueId, {
    lacksOwnId: ownId !== null && person[ownId] === null,
    addresses: addressesIn(fields, { emailAddress: address === null ? null : person[address] }),
  })
  return redactorOf(transform, asked.showPersonal, new Set(isPersonal ? [asked.uniqueId] : []))
}

function whyNot(
  asked: Asked,
  decision: StoredDecision,
  context: ExplainContext | null,
  at: SyncedItem['at'],
  lastRead: LastRead,
): Why {
  const { content, integration } = asked
  const { since_run, valid_to_run } = decision
  // A rollback makes decisions about the items of the platform. A rollback ends the decisions on all other
  // records.
  const isRolledBack = lastRead.rollback_to !== null && valid_to_run === lastRead.run_id
  const reason = isRolledBack ? ROLLED_BACK : decision.reason
  if (valid_to_run !== null && !isRolledBack) {
    return {
      reason: 'removed_at_source',
      text: 'A read that was proved complete no longer had the record.',
      todo: 'Nothing, if that is right; otherwise check that the record still exists at the source and is visible to the reader.',
      values: [],
      since: at(valid_to_run),
    }
  }
  const byHand = excludedByHand(asked, reason, context)
  if (byHand !== null) return { reason, ...byHand, since: at(isRolledBack ? lastRead.run_id : since_run) }
  const { transform } = sourceTypeOf(integration.source)
  const decided = { content, reason, records: context?.records.rows ?? {} }
  const { why, todo, columns } = transform.explainExclusion(decided, integration.source)
  const values =
    context === null
      ? []
      : columns.flatMap(({ table, name }) => originsOf([table as keyof StagingTables, name], context))
  return { reason, text: why, todo, values, since: at(since_run) }
}

/**
 * Explains an item that the user excluded, by `suppress` or a rule of `exclude`. Returns null if the item is
 * missing for another reason.
 */
function excludedByHand(
  { integration, content, uniqueId }: Asked,
  reason: string,
  context: ExplainContext | null,
): Pick<Why, 'text' | 'todo' | 'values'> | null {
  const words = wordsOfOwnReason(integration, content, reason, context?.redactor.id(uniqueId) ?? uniqueId)
  if (words === null) return null
  const fields = ruleOf(integration, reason)?.fields ?? {}
  const decided = (context === null ? [] : lineageWithCustom(context, content)).filter(({ field }) =>
    Object.hasOwn(fields, field),
  )
  return { ...words, values: context === null ? [] : decided.flatMap(({ from }) => originsAt(from, context)) }
}

function standingOf(
  isForgotten: boolean,
  isDesired: boolean,
  isCurrent: boolean,
  isDecided: boolean,
): Explanation['standing'] {
  if (isForgotten) return 'forgotten'
  if (isDesired) return 'synced'
  if (isCurrent) return 'excluded'
  return isDecided ? 'gone' : 'platform_only'
}

async function notesOn(db: Kysely<Tables>, asked: Asked, lastRead: LastRead, resource: string) {
  const { config, integration, content, uniqueId } = asked
  const { id: integrationId } = integration
  const run = { integrationId, runId: lastRead.run_id }
  const notes: string[] = []
  const later = await findLaterRun(db, integrationId, lastRead.run_id)
  if (later !== undefined) {
    const what = later.status === 'running' ? 'is under way' : later.status
    const run = named({ run: later.run_id, at: later.started_at.toISOString() })
    notes.push(`${run} ${what}; this is what was known before it`)
  }
  if (lastRead.rollback_to !== null) {
    notes.push(
      `the last plan is a rollback: what should be there is what the platform had after run ${lastRead.rollback_to}, and may differ from the record; the next run decides from the records again`,
    )
  }
  if (!lastRead.contents.includes(content)) {
    notes.push(`the last run did not sync ${content}; this is what was known before`)
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
  const unseen = await findUnseen(db, run, resource, uniqueId)
  if (unseen !== undefined) {
    const why = unseen.certified ? unseen.detail : `its read was not proved complete: ${unseen.detail}`
    notes.push(`the last run did not see the record, but does not count it as gone: ${why}`)
  }
  return notes
}

/** Says since when the user has excluded an item, who did so, and why. */
async function noteSuppressed(
  db: Kysely<Tables>,
  { integration, content, uniqueId, showPersonal }: Asked,
): Promise<readonly string[]> {
  const all = await findSuppressed(db, eventReadBy(integration))
  return all
    .filter((item) => item.content === content && item.uniqueId === uniqueId)
    .map(({ since, by, reason }) => {
      const why = reason === null ? '' : `: ${showPersonal ? reason : HIDDEN}`
      return `it is left out by hand since ${since}, by ${by}${why}; the next run keeps it out`
    })
}

/**
 * Returns the error message for an unknown id. The message says which other content has the id, and which
 * records the id may belong to.
 */
async function describeUnknown(
  db: Kysely<Tables>,
  asked: Asked,
  resource: string,
  lastRead: LastRead,
): Promise<string> {
  const { integration, content, uniqueId, showPersonal } = asked
  const integrationId = integration.id
  const key = { integrationId, content, uniqueId }
  const id = !showPersonal && isAddress(uniqueId) ? HIDDEN : word(uniqueId)
  const run = { run: lastRead.run_id, at: lastRead.started_at.toISOString() }
  const lines = [
    `${integrationId}: ${content} ${id} is unknown: no run up to ${named(run)} read such a record of ${resource}, and the platform is not known to have the item; nothing is kept of people who were forgotten`,
  ]
  lines.push(...(await noteSuppressed(db, asked)))
  if (!lastRead.contents.includes(content)) {
    lines.push(`this integration does not sync ${content}, only ${lastRead.contents.join(', ')}`)
  }
  const shown = id === HIDDEN ? 'UNIQUE_ID' : id
  for (const other of await findElsewhere(db, key, CONTENTS)) {
    lines.push(`${other} has it: event-sync explain ${integrationId} ${other} ${shown}`)
  }
  const quarantined = await countQuarantined(db, { integrationId, runId: lastRead.run_id }, resource)
  if (quarantined > 0) {
    lines.push(
      `${counted(quarantined, 'record')} of ${resource} could not be read; it may be one of them: event-sync quarantine ${integrationId}`,
    )
  }
  lines.push(
    `ids are case-sensitive, and leading zeros count; existing ids: event-sync sql "${decisionsQuery(integrationId, content)}"`,
  )
  return lines.join('\n  ')
}

/** Returns an SQL query that lists the existing ids. */
const decisionsQuery = (integrationId: string, content: string): string =>
  `select source_id, unique_id, decision, reason from published.decisions where integration_id = '${integrationId}' and content = '${content}'`
