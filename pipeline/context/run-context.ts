import type { Kysely } from 'kysely'
import type { Database } from '../../sql/database.ts'
import { type Content, type CustomFields, HINT_NAMES, type HintName, type Tables } from '../../sql/tables.ts'
import { makeDesired } from '../../transforms/decide/desired.ts'
import { fieldLookupsOf, referencesOf } from '../../transforms/decide/lineage.ts'
import { makeRolledBack, type RolledBack } from '../../transforms/decide/rolled-back.ts'
import { columnsRead } from '../../transforms/declare/columns-read.ts'
import type { ExcludeRule } from '../../transforms/declare/contents.ts'
import { SUPPRESSED } from '../../transforms/declare/exclude.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import type { Config, IntegrationConfig, SecretEnvironment } from '../config/config.ts'
import { requireNotMoved } from '../database/moved.ts'
import type { RateBudget } from '../http/budget.ts'
import type { Connections } from '../http/connections.ts'
import type { HttpLimits } from '../http/http.ts'
import type { RateBudgets } from '../http/rate.ts'
import type { Retries } from '../http/retry.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Listener, Point, RunEvent } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import type { RunId } from '../runtime/run-id.ts'
import type { Step } from '../runtime/step.ts'
import type { StepTime } from '../schemas/runs.ts'
import { readableResources } from '../sources/contract/read-record.ts'
import type { SourceContext } from '../sources/contract/source-type.ts'
import { resourcesOf, sourceTypeOf } from '../sources/registry.ts'
import { targetTypeOf } from '../targets/registry.ts'
import { finishRename } from './renamed-folder.ts'

export interface BaseContext {
  readonly config: Config
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  /** Absolute path of the folder that contains all packs. */
  readonly outputFolder: string
  /**
   * Adds `-c FILE` to each command that a text names. Left out if the configuration is the default one, which
   * commands find by themselves.
   */
  readonly named?: (text: string) => string
  /** Receives each event of an integration when it happens. */
  readonly events: Listener
  /**
   * The signal is aborted if the caller cancels. Work in progress then ends before its next step or at its
   * next wait.
   */
  readonly cancelled?: AbortSignal
  /**
   * Request budgets that are shared with other processes. If no shared budgets are given, each run limits
   * only its own requests.
   */
  readonly budgets?: RateBudgets
}

export interface Context extends BaseContext {
  readonly database: Database
}

/**
 * Takes the lock of an integration, does work, and releases the lock. A transaction of the work can commit
 * only while the lock is held. If `rename` was killed before it renamed the folder of the packs, the function
 * renames the folder first.
 *
 * @returns null if another process holds the lock, or is moving the database
 * @throws UserError if the data was moved to another database. A worker may have opened the database before
 *   the move
 */
export async function whileLocked<Result>(
  context: Context,
  integrationId: string,
  work: (locked: Context) => Promise<Result>,
): Promise<Result | null> {
  const lock = await context.database.lock(integrationId)
  if (lock === null) return null
  try {
    await requireNotMoved(context.database.kysely)
    const locked = { ...context, database: { ...context.database, transaction: lock.transaction } }
    await finishRename(locked, integrationId)
    return await work(locked)
  } finally {
    await lock.release()
  }
}

/**
 * Configured limits of a whole reading. The limits of single answers are in `HttpLimits`. `maxRecords` and
 * `maxBytes` apply to each resource separately.
 */
type ReadLimits = Pick<Config['http'], 'resumeMinutes' | 'maxRecordBytes' | 'maxRecords' | 'maxBytes'>

export interface RunContext extends Context {
  readonly integration: IntegrationConfig
  readonly integrationId: string
  readonly runId: RunId
  /**
   * Notes for the report that were made before the run. The notes are about suppressions that were imported
   * or copied.
   */
  readonly notes: readonly string[]
  readonly connected: ConnectedSource
  /** The connections are shared by the source and the platform, and are closed at the end of the run. */
  readonly limits: HttpLimits & ReadLimits & { readonly connections: Connections }
  readonly retries: Retries
  readonly rate: RateBudget
  emit(event: RunEvent): void
  at(point: Point): void
  /** Durations of the steps that this process has finished. */
  readonly stepTimes: readonly StepTime[]
  /**
   * Does one step of the run, and emits events at the beginning and the end of the step. If the step fails,
   * it throws a StepError with the name of the step.
   */
  step<Result>(name: Step, work: () => Promise<Result>): Promise<Result>
}

/** The part of a run context that is needed to read a source without a database. */
export type ReaderContext = Pick<
  RunContext,
  'connected' | 'environment' | 'emit' | 'integrationId' | 'limits' | 'rate' | 'retries'
>

export class StepError extends Error {
  override readonly name = 'StepError'
  readonly step: Step

  /** @param where the part of the step that failed, such as `source a` */
  constructor(step: Step, where: string, cause: unknown) {
    super(`${step} failed: ${where === '' ? '' : `${where}, `}${messageOf(cause)}`, { cause })
    this.step = step
  }
}

/** Returns the current time in the format that the ledger (the run tables) stores. */
export function timestamp(environment: Pick<Environment, 'now'>): string {
  return new Date(environment.now()).toISOString()
}

/** Returns the hints that an integration switches off. */
export function silencedHints({ hints }: IntegrationConfig): readonly HintName[] {
  return HINT_NAMES.filter((name) => hints[name] === 'off')
}

/** Returns the custom fields of the contents that an integration syncs. */
export function customOf({ content: contents, fields = {} }: IntegrationConfig): CustomFields {
  return Object.fromEntries(
    contents.flatMap((content) => (fields[content] === undefined ? [] : [[content, fields[content]]])),
  )
}

/** A source as an integration uses it: how to read it, and how to make items from its records. */
export type ConnectedSource = ReturnType<typeof connect>

export function connect(integration: IntegrationConfig, context: SourceContext) {
  const { id: integrationId, content: contents, source: config, exclude = [] } = integration
  const { transform, ...type } = sourceTypeOf(config)
  const source = type.connect(config, integrationId, context)
  const custom = customOf(integration)
  const { missingFields: missing = {} } = targetTypeOf(integration.platform)
  const declared = { integrationId, contents, options: config, custom, exclude, missing }
  const resources = readableResources(transform, config, custom).map((resource) => ({
    ...resource,
    neededFor: [
      ...resource.neededFor,
      ...contents.filter(
        (content) =>
          !resource.neededFor.includes(content) &&
          namedInRules(transform, content, exclude).some(
            (named) => contents.includes(named) && resource.neededFor.includes(named),
          ),
      ),
    ],
  }))
  return {
    source,
    /** For each content that the source can serve, the resource that contains its records. */
    resourceOf: resourcesOf(transform),
    /** Every resource of the source, with its staging table. */
    tables: new Map(resources.map(({ name, table }) => [name, table])),
    /** Resources that the integration's contents need. */
    resources: resources.filter(({ neededFor }) => neededFor.some((content) => contents.includes(content))),
    /** Reasons for exclusion that the record itself states, so that the product does not infer them. */
    attested: [...transform.attested, SUPPRESSED],
    /** Custom fields, with the tables in which their values are staged. */
    custom: resources.flatMap(({ table, contents: of }) =>
      of.flatMap((content) =>
        Object.values(custom[content] ?? {}).map((field) => ({ content, field, table })),
      ),
    ),
    /** Returns the columns that the contents of the integration read. */
    columnsRead: (db: Kysely<Tables>) =>
      transform.contents
        .filter(({ content }) => contents.includes(content))
        .map((content) => columnsRead(db, content, { integrationId, options: config as never })),
    /** For each content, the fields whose values come from joined records. */
    lookups: new Map(contents.map((content) => [content, fieldLookupsOf(transform, content)])),
    /** Makes decisions and desired items from the staged records. */
    makeDesired: (transaction: Kysely<Tables>, runId: string, isStagingNew: boolean) =>
      makeDesired(transaction, transform, declared, runId, isStagingNew),
    /** Makes the decisions and desired items of a rollback from the history of the integration. */
    makeRolledBack: (transaction: Kysely<Tables>, runId: string, rolledBack: RolledBack) =>
      makeRolledBack(transaction, transform, declared, runId, rolledBack),
    /**
     * Returns a reason for which no plan from this source can be trusted; null if there is no such reason.
     */
    sourceGuard: async (transaction: Kysely<Tables>) =>
      (await type.sourceGuard?.(transaction, { integrationId, contents, options: config })) ?? null,
  }
}

/**
 * Returns the contents that an exclusion rule refers to. A rule refers to another content if it tests a field
 * that contains ids of items of that content. The rule may exclude an item because a referenced item is
 * missing, so the resources of these contents must also be read.
 */
function namedInRules(
  transform: AnyTransform,
  content: Content,
  rules: readonly ExcludeRule[],
): readonly Content[] {
  const fields = new Set(
    rules.filter((rule) => rule.contents.includes(content)).flatMap((rule) => Object.keys(rule.fields)),
  )
  return referencesOf(transform, content).flatMap((reference) =>
    fields.has(reference.field) ? [reference.content] : [],
  )
}
