import { type Binding, CONFIG_KEYS, findBindings, findRivals } from '../../loaders/ledger/binding.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { bindingOf } from '../context/current-id.ts'
import type { Context } from '../context/run-context.ts'
import { inRolledBack } from '../database/rolled-back.ts'
import { reportOfError } from '../observe/emit.ts'
import type { Listener, RunEvent } from '../runtime/events.ts'
import { plannedRun, type RunReport } from '../runtime/report.ts'
import { type RecordedRunOptions, withLock } from './recorded-run.ts'
import { runLocked } from './run.ts'

/** Shows a report. If `run` is not null, also shows the plan of this run. */
export type ShowPlan = (db: Db, report: RunReport, run: RunKey | null) => Promise<void>

type PreviewOptions = Omit<RecordedRunOptions, 'command' | 'isPreview'>

/**
 * Events of a preview that listeners receive. Other events would count or announce a run although it is not
 * stored.
 */
const PASSED_ON: ReadonlySet<RunEvent['type']> = new Set([
  'step begun',
  'step ended',
  'reading begun',
  'reading resumed',
  'read',
  'reading ended',
  'request',
  'wait',
  'reached',
  'done',
])

/**
 * Returns true if a plan with these options must be a preview. A stored plan would change what the database
 * knows about the platform, or with which source and platform the integration is bound.
 */
export function needsPreview({ refresh = false, rebind = false }: PreviewOptions): boolean {
  return refresh || rebind
}

/**
 * Shows what the command `run` would do with the same options. Everything happens in one transaction that is
 * rolled back. No run, no records of the source and no items of the platform are therefore stored. No file is
 * written, and listeners receive no event about a run.
 *
 * @param show called with each report; if the report has a plan, before the transaction is rolled back
 */
export async function previewReported(
  context: Context,
  integration: IntegrationConfig,
  options: PreviewOptions,
  show: ShowPlan,
): Promise<readonly RunReport[]> {
  const quiet = { ...context, events: withoutRuns(context.events) }
  const shown: RunReport[] = []
  const reports = await withLock(quiet, integration, 'plan', (locked) =>
    inRolledBack(locked.database, async (database) => {
      const inside = { ...locked, database }
      const bound = options.rebind === true ? await describeRebinding(database.kysely, integration) : []
      const made = await runLocked(inside, integration, { ...options, command: 'plan', isPreview: true })
      for (const report of made) {
        const preview = asPreview(report, integration, options, bound)
        await show(database.kysely, preview, plannedRun(report))
        shown.push(preview)
      }
      return shown
    }),
  ).catch((error: unknown) => [reportOfError(integration.id, error)])
  if (reports !== shown) for (const report of reports) await show(context.database.kysely, report, null)
  return reports
}

function asPreview(
  report: RunReport,
  integration: IntegrationConfig,
  options: PreviewOptions,
  bound: readonly string[],
): RunReport {
  const notes = [...bound, ...(report.notes ?? [])]
  return { ...report, notes, run: null, page: null, previewOf: commandOf(integration, options) }
}

/**
 * Says which source and platform a rebind would give the integration, and which source and platform the
 * integration has now.
 */
async function describeRebinding(db: Db, integration: IntegrationConfig): Promise<readonly string[]> {
  const { id } = integration
  const to = bindingOf(integration)
  const [from] = await findBindings(db, [id])
  const keys = Object.keys(CONFIG_KEYS) as (keyof Binding)[]
  const moved = from === undefined ? [] : keys.filter((key) => from[key] !== to[key])
  const changes = moved.map((key) => `${CONFIG_KEYS[key]} from "${from?.[key]}" to "${to[key]}"`)
  const isOwner = from?.owns_platform_event === true && !moved.some((key) => key.startsWith('platform'))
  const rivals = isOwner ? [] : await findRivals(db, id, to)
  return [
    from === undefined
      ? `${id} is not bound yet, so --rebind changes no binding`
      : changes.length === 0
        ? `${id} stays bound to the same source and platform`
        : `${id} would be bound anew: ${withAnd(changes)}`,
    ...rivals.map((rival) => `${id} would take over the platform event of ${rival}, which is then refused`),
  ]
}

/** Returns the command that applies what a preview shows. */
function commandOf({ id }: IntegrationConfig, options: PreviewOptions): string {
  const given = (['refresh', 'rebind', 'fresh', 'freshRead', 'full'] as const).filter((name) => options[name])
  const flags = given.map((name) => `--${name === 'freshRead' ? 'fresh-read' : name}`)
  return ['event-sync run', id, ...flags].join(' ')
}

function withoutRuns(events: Listener): Listener {
  return {
    emit(integration, event) {
      if (PASSED_ON.has(event.type)) events.emit(integration, event)
    },
  }
}
