import { sql } from 'kysely'
import { bindIntegration } from '../../loaders/ledger/binding.ts'
import { type SuppressionEntry, suppress } from '../../loaders/ledger/suppressed.ts'
import { incomingName, openIncoming } from '../../loaders/staging/incoming.ts'
import { mergeResource } from '../../loaders/staging/merge.ts'
import { ofRun } from '../../sql/conditions.ts'
import type { Database } from '../../sql/database.ts'
import type { Content } from '../../sql/tables.ts'
import { ruleEffects } from '../../transforms/declare/exclude.ts'
import { decidedOf } from '../../transforms/reconciliation/counts.ts'
import type { SuppressionFilter } from '../../transforms/rules/people.ts'
import { isTimeZone } from '../../transforms/rules/zones.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { ReaderContext } from '../context/run-context.ts'
import { sourceBindingOf } from '../context/suppression.ts'
import { pageReader, readToProof } from '../extract/resource/page-reader.ts'
import type { Retries } from '../http/retry.ts'
import { pick } from '../runtime/pick.ts'
import { makeRunId } from '../runtime/run-id.ts'
import type { ContentCounts, Counts } from '../schemas/setup.ts'
import { countFills, type NamedPaths } from '../sources/contract/fill-counts.ts'
import {
  ENDS_ALL,
  failed,
  notCheckable,
  ok,
  type Reads,
  type ResourceRead,
  type RuleResult,
  type TallyOf,
  toReadFault,
} from '../sources/contract/rule-result.ts'
import type { RecordSink, SourceResource } from '../sources/contract/source.ts'
import type { AnySourceType } from '../sources/contract/source-type.ts'

/** Start and end of the event, in UTC. */
interface EventDates {
  readonly begin: string
  readonly end: string
}

export type Preview = ReturnType<typeof previewOf>

/**
 * Opens a database in memory. The database has the tables of the sources of this package and of the given
 * other sources. The caller must close the database.
 */
export async function openScratch(outside: readonly AnySourceType[] = []): Promise<Database> {
  const [{ openInMemory }, { migrate }] = await Promise.all([
    import('../database/pglite.ts'),
    import('../database/migrate.ts'),
  ])
  const database = await openInMemory()
  await migrate(database, outside)
  return database
}

/**
 * Simulates the next run in a database in memory: stages the records, makes decisions, and counts the
 * results.
 */
export function previewOf(
  database: Database,
  integration: IntegrationConfig,
  { connected, environment }: ReaderContext,
  suppressed: readonly SuppressionEntry[],
) {
  const { id: integrationId, content: contents } = integration
  const sourceBinding = sourceBindingOf(integration)
  const runId = makeRunId(environment.now(), environment.randomBytes(10), null)
  const read = new Map<string, Awaited<ReturnType<typeof openIncoming>>>()
  return {
    async sinkOf(resource: SourceResource) {
      const incoming = await openIncoming(database, incomingName(runId, resource.name), resource)
      read.set(resource.name, incoming)
      const close = async () => {
        await incoming.commit()
        await incoming.close()
      }
      return { ...incoming, close }
    },
    /**
     * Returns the start of the first session and the end of the last session that would be synced; null if
     * there is no such session.
     */
    async dates(): Promise<EventDates | null> {
      const times = sql<string | null>
      const { begin, end } = await database.kysely
        .selectFrom('sync.desired_items')
        .where(({ and }) => and({ integration_id: integrationId, content: 'agenda', valid_to_run: null }))
        .select([times`min(fields ->> 'startTime')`.as('begin'), times`max(fields ->> 'endTime')`.as('end')])
        .executeTakeFirstOrThrow()
      return begin === null || end === null ? null : { begin, end }
    },
    /**
     * For all contents whose resources were read completely, stages the records, makes decisions and counts
     * items.
     *
     * @param isRead returns true for a resource whose end was proved
     */
    count(isRead: (resource: string) => boolean): Promise<Counts> {
      const isWhole = (content: Content) =>
        connected.resources.every(({ name, neededFor }) => !neededFor.includes(content) || isRead(name))
      return database.transaction(async (transaction) => {
        for (const resource of connected.resources) {
          const found = read.get(resource.name)
          if (found === undefined || !isRead(resource.name)) continue
          await mergeResource(transaction, {
            ...pick(resource, 'table', 'columns'),
            integrationId,
            runId,
            resource: resource.name,
            incoming: found.table,
            totals: found.totals(),
            certified: true,
          })
        }
        // Suppressions belong to the source event, so the integration must first be bound to that event.
        const { type: source, url: source_url, eventId: source_event_id } = integration.source
        const nowhere = { platform: '', platform_url: '', platform_event_id: '' }
        const binding = { source, source_url, source_event_id, ...nowhere }
        await bindIntegration(transaction, integrationId, binding, null, false)
        for (const item of suppressed) await suppress(transaction, sourceBinding, item)
        await connected.makeDesired(transaction, runId, true)
        const rejected = await transaction
          .selectFrom('sync.unstaged')
          .$call(ofRun({ integrationId, runId }))
          .groupBy(['resource', 'reason'])
          .select((eb) => ['resource', 'reason', eb.fn.countAll<string>().as('count')])
          .execute()
        const counts: Partial<Record<Content, ContentCounts>> = {}
        for (const content of contents.filter(isWhole)) {
          const resource = connected.resourceOf.get(content)
          const countOf = (reason: string) =>
            Number(rejected.find((row) => row.resource === resource && row.reason === reason)?.count ?? 0)
          const { synced, excluded } = await decidedOf(transaction, { integrationId, runId }, content)
          const repeated = countOf('duplicate_id')
          const reasons = excluded.map(([reason, count]) => [reason, Number(count)] as const)
          if (repeated > 0) reasons.push(['duplicate_id', repeated])
          counts[content] = {
            synced: Number(synced),
            excluded: Object.fromEntries(reasons.sort(([one], [other]) => (one < other ? -1 : 1))),
            quarantined: countOf('invalid_record'),
          }
        }
        return counts
      })
    },
  }
}

/**
 * Reports what the next run would sync of each content that was read. Also reports how many items each rule
 * of `exclude` would leave out.
 */
export function judgePreview(
  { content, exclude = [] }: IntegrationConfig,
  counts: Counts,
  knowsSuppressed: boolean,
) {
  const excluded: Record<string, number> = {}
  for (const one of Object.values(counts)) {
    for (const [reason, count] of Object.entries(one.excluded))
      excluded[reason] = (excluded[reason] ?? 0) + count
  }
  const ofRules = ruleEffects(exclude, content, excluded)
    .filter(({ rule }) => rule.contents.every((one) => one in counts || !content.includes(one)))
    .map(({ rule: { name }, seen, todo }) => {
      const rule = { id: `exclude.${name}`, sentence: 'the rule leaves items out', clause: null }
      return todo === null ? ok(rule, seen) : notCheckable(rule, seen, todo)
    })
  return [...judgeSynced(counts, knowsSuppressed), ...ofRules]
}

const READABLE = { id: 'readable', sentence: 'the records can be read', clause: null }

/**
 * Reports how many records cannot be read. The rule fails above the allowed number, because the next run
 * would then end with exit code 3.
 */
export function judgeReadable({ id, guards }: IntegrationConfig, reads: Reads): readonly RuleResult[] {
  const all = [...reads.values()].flatMap((read) => (read.outcome === 'read' ? [read.counts.faults] : []))
  const faults = all.reduce((sum, count) => sum + count, 0)
  if (faults === 0) return []
  const seen = `${counted(faults, 'record')} cannot be read, and guards.maxQuarantined lets ${guards.maxQuarantined} pass`
  if (faults <= guards.maxQuarantined) return [ok(READABLE, seen)]
  const todo = `correct them at the source: \`event-sync quarantine ${id}\` lists them after a run; or raise guards.maxQuarantined`
  return [failed(READABLE, `${seen}: the next run would sync the others and end with exit code 3`, todo)]
}

const DATES = { id: 'dates', sentence: 'the sessions say when the event takes place', clause: null }

/**
 * Reports the dates of the event, which come from its sessions. The dates show if the configuration names a
 * wrong event, or the event of another year.
 */
export function judgeDates({ source: { timeZone } }: IntegrationConfig, dates: EventDates | null) {
  if (dates === null) return []
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : 'UTC'
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  const [begin, end] = [dates.begin, dates.end].map((time) => format.format(new Date(time)))
  return [ok(DATES, `the first session begins ${begin}, the last one ends ${end} (${zone})`)]
}

const UNKNOWN_SUPPRESSED =
  '; items that `suppress` leaves out are counted as others, since the database was not read'

function judgeSynced(counts: Counts, knowsSuppressed: boolean): readonly RuleResult[] {
  return Object.entries(counts).map(([content, { synced, excluded, quarantined }]) => {
    const rule = { id: `${content}.synced`, sentence: `the next run would sync ${content}`, clause: null }
    const left = Object.entries(excluded).map(([reason, count]) => `${count} ${reason}`)
    if (quarantined > 0) left.push(`${quarantined} quarantined`)
    const all = synced + quarantined + Object.values(excluded).reduce((sum, count) => sum + count, 0)
    const not = left.length === 0 ? '' : `; left out: ${left.join(', ')}`
    const besides = knowsSuppressed ? '' : UNKNOWN_SUPPRESSED
    const seen = `the next run would sync ${synced} of ${all}${not}${besides}`
    return synced > 0 || all === 0 ? ok(rule, seen) : notCheckable(rule, seen)
  })
}

/**
 * Reads every resource to its proved end, one resource after the other. Keeps only counts. If one resource
 * fails, the next is still read, except if the source does not answer at all.
 *
 * @param filter keeps forgotten people out, as in a run; null if nobody was forgotten or no key is configured
 */
export async function readAll(
  context: ReaderContext,
  tallyOf: TallyOf,
  namedIn: (resource: SourceResource) => NamedPaths | null,
  preview: Preview | null,
  filter: SuppressionFilter | null,
) {
  const { resources, source } = context.connected
  const reads = new Map<string, ResourceRead>(resources.map(({ name }) => [name, { outcome: 'not read' }]))
  let isAdmitted: boolean
  try {
    isAdmitted = Object.keys(await source.authorization()).length > 0
  } catch (error) {
    return { accessFault: toReadFault(error), isAdmitted: false, reads }
  }
  for (const resource of resources) {
    const counts = countFills(resource, tallyOf(resource), namedIn(resource))
    const read = await readOne(context, resource, counts, preview, filter)
    reads.set(resource.name, read)
    if (read.outcome === 'failed' && ENDS_ALL.includes(read.fault.kind)) break
  }
  return { accessFault: null, isAdmitted, reads }
}

async function readOne(
  context: ReaderContext,
  resource: SourceResource,
  counts: ReturnType<typeof countFills>,
  preview: Preview | null,
  filter: SuppressionFilter | null,
): Promise<ResourceRead> {
  const kept = (await preview?.sinkOf(resource)) ?? null
  const sink = kept === null ? counts : both(counts, kept)
  const begin = sink.totals()
  const log = { attempt: () => undefined, read: () => undefined }
  try {
    await readToProof(context.connected.source, resource, {
      readPage: pageReader(context, resource, sink, log, filter),
      restart: () => sink.rewind(begin),
      save: async () => undefined,
      from: null,
      pages: 0,
    })
    return { outcome: 'read', counts: counts.counts() }
  } catch (error) {
    return { outcome: 'failed', fault: toReadFault(error) }
  } finally {
    await kept?.close()
  }
}

function both(one: RecordSink, other: RecordSink): RecordSink {
  return {
    add(row) {
      const waiting = one.add(row)
      const alsoWaiting = other.add(row)
      return waiting === undefined ? alsoWaiting : waiting.then(() => alsoWaiting)
    },
    totals() {
      one.totals()
      return other.totals()
    },
    async rewind(to) {
      await one.rewind(to)
      await other.rewind(to)
    },
  }
}

/**
 * Maximum number of seconds for waits if a person waits at a terminal. During a run the limit is
 * `http.retryBudgetSeconds`.
 */
export const INTERACTIVE_SECONDS = 30

/** Maximum number of seconds for waits before the first answer of the source. */
export const FIRST_CONTACT_SECONDS = 5

/**
 * Makes retries as in a run, with an exception at the beginning. Before the first answer of the source there
 * are fewer retries, because they do not help if the address is wrong.
 */
export function quickAtFirst(quick: Retries, patient: Retries): Retries {
  let hasAnswered = false
  return {
    signal: patient.signal,
    stop() {
      quick.stop()
      patient.stop()
    },
    async run(what, read) {
      const result = await (hasAnswered ? patient : quick).run(what, read)
      hasAnswered = true
      return result
    },
  }
}
