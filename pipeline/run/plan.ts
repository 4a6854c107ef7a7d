import { type Kysely, sql } from 'kysely'
import { findPin, lockPin } from '../../loaders/ledger/actions.ts'
import { countDecisions } from '../../loaders/ledger/ledger.ts'
import { findBase } from '../../loaders/ledger/stored-plan.ts'
import { ofRun } from '../../sql/conditions.ts'
import { type Content, countChanges, type RunCounts, type Tables } from '../../sql/tables.ts'
import { reasonOfRule, ruleEffects } from '../../transforms/declare/exclude.ts'
import { wordsOfReasons } from '../../transforms/declare/source.ts'
import { type Checked, checkPlan } from '../../transforms/guards/check-plan.ts'
import { toHold } from '../../transforms/guards/guard-finding.ts'
import { makePlan, type Plan, type PlanScope, withholdRemovals } from '../../transforms/plan/plan.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { platformOf } from '../context/connect.ts'
import { requireWritableOutput } from '../context/pack-folder.ts'
import { customOf, type RunContext, timestamp } from '../context/run-context.ts'
import { describeReadings } from '../extract/changes/describe-readings.ts'
import { messageOf } from '../runtime/message-of.ts'
import { productVersion } from '../runtime/package-root.ts'
import type { SourceResource } from '../sources/contract/source.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import { irremovableOf, noteIrremovable } from './irremovable.ts'
import { noteNothingSynced } from './nothing-synced.ts'
import type { StagedReading } from './stage.ts'
import { storePlan } from './store-plan.ts'
import { noteUnknownZones } from './unknown-zones.ts'

/**
 * Plans the changes after which the platform has the desired items, runs the guards (checks that can hold the
 * plan), and stores the plan.
 *
 * @param isSettled true if the platform is known to have the desired items already
 * @returns `goesOn` is true if the plan continues to apply: the command is `run`, the integration is not
 *   pinned, and no guard holds the plan. `unconfirmed` lists resources that must be read a second time
 *   because the plan would remove missing items; nothing of the plan may be stored then.
 */
export async function plan(
  run: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly StagedReading[],
  command: 'run' | 'plan',
  isSettled: boolean,
): Promise<{ readonly goesOn: boolean; readonly unconfirmed: readonly string[] }> {
  const { integrationId, runId, integration, connected, environment } = run
  if (command === 'run') await requireWritableOutput(run)
  const base = (await findBase(transaction, integrationId)) ?? ''
  const ofChanges = readings.flatMap(({ resource, changes }) =>
    changes === null || changes.since === null ? [] : [resource],
  )
  const scope: PlanScope = {
    integrationId,
    runId,
    contents: integration.content,
    custom: customOf(integration),
    removals: integration.removals.action,
    irremovable: irremovableOf(integration),
    handover: integration.handover,
    attested: connected.attested,
    complete: completeContents(integration.content, readings),
    readByChanges: ofChanges.map(({ name }) => name),
    unread: integration.content.filter((content) =>
      readings.some(({ resource, totals }) => resource.contents.includes(content) && totals.faults > 0),
    ),
    target: platformOf(integration).identity,
    platformRevision: base,
  }
  const made = await makePlan(transaction, scope, isSettled)
  const unconfirmed = await findUnconfirmed(run, transaction, readings)
  if (unconfirmed.length > 0) return { goesOn: false, unconfirmed }
  const { hits: findings, notes: passed } = await askGuards(run, transaction, made.changes, ofChanges)
  const byChanges = await describeReadings(run, transaction, readings)
  const resourceOf = new Map([...connected.resourceOf].filter(([one]) => integration.content.includes(one)))
  const decided = await countDecisions(transaction, run, resourceOf)
  const notes = [
    ...run.notes,
    ...unproved(readings),
    ...resumed(integrationId, readings),
    ...(connected.source.notes?.() ?? []),
    ...byChanges.notes,
    ...readings.flatMap(({ note }) => note ?? []),
    ...passed,
    ...noteIrremovable(integration, made),
    ...idleRules(integration, decided.excluded),
    ...(await noteNothingSynced(transaction, run, resourceOf)),
    ...(await noteUnknownZones(transaction, run)),
  ]
  const own = ownWords(integration, decided.excluded)
  const held = toHold(findings)
  await lockPin(transaction, integrationId)
  const pinned = await findPin(transaction, integrationId, timestamp(environment))
  const sends = command === 'run' && pinned === null
  const withholds =
    sends &&
    integration.guards.onHold === 'withholdRemovals' &&
    held !== null &&
    findings.every(({ onlyRemovals }) => onlyRemovals)
  const withheld = withholds ? { withheld: await withholdRemovals(transaction, run) } : {}
  const goesOn = sends && (held === null || withholds)
  await storePlan(run, transaction, {
    plan: made,
    base,
    status: goesOn ? 'applying' : held === null ? 'planned' : 'held',
    certified: readings.every(({ certified }) => certified),
    held,
    pinned,
    decided,
    notes: [...notes, ...own.notes],
    records: Object.fromEntries(readings.map(({ resource, newlyRead }) => [resource.name, newlyRead])),
    counts: { ...withheld, ...byChanges.counts, ...own.counts },
  })
  return { goesOn, unconfirmed: [] }
}

/** Says why a reading was not proved complete, because the run then ends with exit code 3. */
function unproved(readings: readonly StagedReading[]): readonly string[] {
  return readings.flatMap(({ certified, resource, detail }) =>
    certified
      ? []
      : [`${resource.name} were not proved to be read completely, so nothing is removed for them: ${detail}`],
  )
}

/** Returns the words of a source outside this package for its reasons, which the report shows. */
function ownWords(
  { source }: IntegrationConfig,
  excluded: RunCounts['excluded'],
): { readonly notes: readonly string[]; readonly counts: Partial<RunCounts> } {
  const { transform } = sourceTypeOf(source)
  if (transform.revision === undefined) return { notes: [], counts: {} }
  const notes: string[] = []
  const words = wordsOfReasons(transform, excluded, source, (reason, error) =>
    notes.push(`the report has no words of the source for ${reason}: ${messageOf(error)}`),
  )
  return { notes, counts: Object.keys(words).length === 0 ? {} : { words } }
}

function idleRules({ exclude = [], content }: IntegrationConfig, excluded: RunCounts['excluded']) {
  return ruleEffects(exclude, content, excluded).flatMap(({ rule, seen, todo }) =>
    todo === null ? [] : [`the rule ${rule.name} of exclude ${seen}; ${todo}`],
  )
}

/**
 * Adds a note with the resources that an interrupted run had read. The source may have changed since, so
 * readers of the report must know how old the data is.
 */
function resumed(integrationId: string, readings: readonly StagedReading[]): readonly string[] {
  const old = readings.filter(({ resumedFrom }) => resumedFrom !== null)
  if (old.length === 0) return []
  const names = old.map(({ resource }) => resource.name.replaceAll('_', ' ')).join(', ')
  const [first] = old.map(({ resumedFrom }) => resumedFrom).sort()
  return [
    `what an interrupted run had read was reused (${names}; read from ${first} on); \`event-sync run ${integrationId} --fresh-read\` reads the source again`,
  ]
}

/**
 * Returns the contents for which every needed resource was read to its proved end. If a record of the content
 * itself cannot be read, only its own item is affected. If a new record of another resource cannot be read,
 * for example a time slot, items of the content may refer to it. If a referenced record may be unreadable,
 * the content is treated as incomplete.
 */
function completeContents(
  contents: readonly Content[],
  readings: readonly StagedReading[],
): readonly Content[] {
  return contents.filter((content) =>
    readings
      .filter(({ resource }) => resource.neededFor.includes(content))
      .every(
        ({ resource, certified, newFaults }) =>
          certified && (newFaults === 0 || resource.contents.includes(content)),
      ),
  )
}

/**
 * Returns the resources that must be read a second time. The plan would remove items because records of such
 * a resource are missing, and the resource was read only once.
 */
async function findUnconfirmed(
  { integrationId, runId }: RunContext,
  transaction: Kysely<Tables>,
  readings: readonly StagedReading[],
) {
  const removals = await transaction
    .selectFrom('sync.changes')
    .$call(ofRun({ integrationId, runId }))
    .where('action', '=', 'remove')
    .where('inferred', '=', true)
    // A record that a rule excludes still exists at the source, so no second reading is needed.
    .where(sql<boolean>`not starts_with(reason, ${reasonOfRule('')})`)
    .distinct()
    .select(['content', 'reason'])
    .execute()
  return readings.flatMap((reading) => {
    const { resource, confirmed, lacks, gone, changes } = reading
    const { name, contents, neededFor } = resource
    if (confirmed !== null || changes?.since != null) return []
    // Readings by changes rely on the staged records, so a missing record must be confirmed even if the plan
    // removes nothing because of it.
    if (changes !== null && gone > 0) return [name]
    const isInDoubt = removals.some(({ content, reason }) =>
      reason === 'removed_at_source' ? contents.includes(content) : lacks && neededFor.includes(content),
    )
    return isInDoubt ? [name] : []
  })
}

async function askGuards(
  run: RunContext,
  transaction: Kysely<Tables>,
  changes: Plan['changes'],
  ofChanges: readonly SourceResource[],
): Promise<Checked> {
  const { integrationId, runId, integration, connected, environment } = run
  // A plan without changes can do no harm, so no guard checks it.
  if (countChanges(changes) === 0) return { hits: [], notes: [] }
  const { maxShare, maxStatedShare, minCount } = integration.removals
  const plan = {
    integrationId,
    runId,
    contents: integration.content,
    changes,
    resources: connected.resources,
    readByChanges: new Set(ofChanges.map(({ table }) => table)),
    read: connected.columnsRead(transaction),
    custom: connected.custom,
    lookups: connected.lookups,
    removals: { maxShare, maxStatedShare, minCount: minCount ?? null, nowMs: environment.now() },
    blackout: integration.guards.blackout,
    massUpdate: integration.guards.massUpdate,
    productVersion,
  }
  return checkPlan(transaction, plan, await connected.sourceGuard(transaction))
}
