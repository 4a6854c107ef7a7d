import { findSuppressed, type SuppressionEntry } from '../../loaders/ledger/suppressed.ts'
import type { Database } from '../../sql/database.ts'
import type { SuppressionFilter } from '../../transforms/rules/people.ts'
import {
  ConfigError,
  type IntegrationConfig,
  resolveSecret,
  type SecretEnvironment,
  type SecretReference,
} from '../config/config.ts'
import { retriesOf } from '../context/limits.ts'
import { emitStep, openReader } from '../context/open-run.ts'
import { type BaseContext, connect, customOf } from '../context/run-context.ts'
import { eventReadBy, findSuppression } from '../context/suppression.ts'
import { NOT_THE_API, ReadError } from '../http/read-error.ts'
import { messageOf } from '../runtime/message-of.ts'
import { isOfSystem } from '../runtime/not-writable.ts'
import { pathFaultOf } from '../runtime/path-fault.ts'
import type { StepPlace } from '../runtime/step.ts'
import { tallyZoneless } from '../sources/contract/fields.ts'
import {
  type CheckedPart,
  failed,
  failedBy,
  type ReadFault,
  type Rule,
  resultOf,
  type TallyOf,
} from '../sources/contract/rule-result.ts'
import type { SourceResource } from '../sources/contract/source.ts'
import { tallyZones } from '../sources/contract/zones.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import { judgeCustom, namedPathsIn } from './custom-fields.ts'
import {
  FIRST_CONTACT_SECONDS,
  judgeDates,
  judgePreview,
  judgeReadable,
  previewOf,
  quickAtFirst,
  readAll,
} from './read-source.ts'
import {
  checkLedger,
  checkPasswords,
  checkPlatform,
  checkPromises,
  checkProxy,
  checkSealingKey,
} from './set-up.ts'

/**
 * The database with the state of the integration. `none` means that the database does not exist yet; `unread`
 * means that it cannot be read.
 */
export type Ledger = Database | 'none' | 'unread'

const SENTENCE = 'the source account is set up for the integration'
const SET_UP: Rule = { id: 'setUp', sentence: SENTENCE, clause: null }

const FORGOTTEN: Rule = {
  id: 'forgotten',
  sentence: 'people who were forgotten can be recognised',
  clause: null,
}

export interface CheckOptions {
  /** If true, all data of the integration in the database is checked; default: false. */
  readonly isDeep?: boolean | undefined
  /** Maximum number of seconds for failed attempts to read the source; default: the limit of a run. */
  readonly budgetSeconds?: number
  /** Position of this integration among those that the command checks; default: it is the only one. */
  readonly place?: StepPlace
}

/**
 * Checks one integration: its platform, its passwords and its source. Also shows what the next run would
 * sync. The check writes nothing. The database of the integration may not exist yet, so it is not required.
 *
 * @param scratch an empty database that nobody else uses; if null, the next run is not simulated
 * @param ledger the database of the integration; without it, data of earlier runs is not checked
 */
export async function checkIntegration(
  context: BaseContext,
  integration: IntegrationConfig,
  scratch: Database | null,
  ledger: Ledger,
  options: CheckOptions = {},
): Promise<CheckedPart> {
  const { id, source } = integration
  const part = {
    integration: id,
    title: `${sourceTypeOf(source).title} at ${source.url}, event ${source.eventId}`,
  }
  const { place = ONLY_STEP } = options
  try {
    return await emitStep(context, id, 'check', place, async () => ({
      ...part,
      ...(await checkEach(context, integration, scratch, ledger, options)),
    }))
  } catch (error) {
    // The error becomes a result of the check, so that the remaining integrations are still checked.
    // If the code of a source outside this package is at fault, the error says so.
    const [seen, todo] = error instanceof ReadError ? [error.what, error.hint ?? NOT_THE_API] : causeOf(error)
    return { ...part, results: [failed(SET_UP, `the check failed: ${seen}`, todo)] }
  } finally {
    context.events.emit(id, { type: 'done' })
  }
}

/** Describes an error that the check did not expect, and what to do. */
function causeOf(error: unknown): readonly [string, string] {
  if (!isOfSystem(error)) return [messageOf(error), 'this is a bug in event-sync: report it']
  const fault = pathFaultOf(error)
  if (fault === null) return [messageOf(error), 'correct this, and check again']
  return [`${error.message}; ${fault.what}`, fault.todo]
}

const ONLY_STEP: StepPlace = { number: 1, of: 1 }

async function checkEach(
  context: BaseContext,
  integration: IntegrationConfig,
  scratch: Database | null,
  ledger: Ledger,
  { isDeep = false, budgetSeconds = context.config.http.retryBudgetSeconds }: CheckOptions,
): Promise<Pick<CheckedPart, 'results' | 'counts'>> {
  const proxy = checkProxy(context, integration)
  const platform = await checkPlatform(context, integration, typeof ledger === 'string' ? null : ledger)
  const passwords = checkPasswords(context.config, integration, context.secrets)
  const canAsk = platform.status === 'ok'
  const delivered =
    typeof ledger === 'string'
      ? []
      : [
          await checkLedger(context, integration, ledger, canAsk),
          ...(await checkSealingKey(context, integration, ledger)),
        ]
  const kept = isDeep ? [await checkPromises(context, integration, ledger)] : []
  const leftOut = await leftOutBy(context, ledger, integration)
  const { results, counts } = await judgeSource(
    context,
    integration,
    scratch,
    leftOut instanceof ConfigError ? null : leftOut,
    budgetSeconds,
  )
  const unrecognised = leftOut instanceof ConfigError ? [failedBy(FORGOTTEN, leftOut)] : []
  return {
    results: [...proxy, platform, ...delivered, ...kept, ...unrecognised, ...passwords, ...results],
    counts,
  }
}

/** The suppressed items of the source event, and the filter that finds forgotten people. */
interface LeftOut {
  readonly items: readonly SuppressionEntry[]
  /** Null if nobody was forgotten. */
  readonly filter: SuppressionFilter | null
}

/**
 * Finds what the next run leaves out; returns null if the database could not be read. Returns the error of the
 * run if no key is configured with which forgotten people could be recognised.
 */
async function leftOutBy(
  context: BaseContext,
  ledger: Ledger,
  integration: IntegrationConfig,
): Promise<LeftOut | ConfigError | null> {
  if (ledger === 'unread') return null
  if (ledger === 'none') return NOTHING_LEFT_OUT
  const db = ledger.kysely
  try {
    const people = await findSuppression(db, context, integration)
    return { items: await findSuppressed(db, eventReadBy(integration)), filter: people?.filter ?? null }
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

const NOTHING_LEFT_OUT: LeftOut = { items: [], filter: null }

async function judgeSource(
  context: BaseContext,
  integration: IntegrationConfig,
  scratch: Database | null,
  leftOut: LeftOut | null,
  budgetSeconds: number,
) {
  const { source, content } = integration
  try {
    const accessFault = findSecretFault(integration, context.secrets)
    const { answers, counts, dates } =
      accessFault === null
        ? await readSource(context, integration, scratch, leftOut ?? NOTHING_LEFT_OUT, budgetSeconds)
        : { answers: { accessFault, isAdmitted: false, reads: new Map() }, counts: {}, dates: null }
    const results = [
      ...sourceTypeOf(source).judge(source, content, answers, customOf(integration)),
      ...judgeCustom(integration, answers.reads),
      ...judgeReadable(integration, answers.reads),
      ...judgeDates(integration, dates),
      ...judgePreview(integration, counts, leftOut !== null),
    ]
    return { results, counts }
  } catch (error) {
    // A ConfigError comes here, for example, if the file with certificates is missing.
    if (error instanceof ConfigError) return { results: [failedBy(SET_UP, error)], counts: {} }
    throw error
  }
}

/**
 * Describes which secrets of the source are missing. Returns null if all secrets exist to which the
 * configuration refers.
 */
function findSecretFault({ source }: IntegrationConfig, secrets: SecretEnvironment): ReadFault | null {
  const references: Readonly<Record<string, unknown>> = source
  const type = sourceTypeOf(source)
  const missing = [
    ...type.secrets
      .filter((key) => references[key] !== undefined)
      .map((key) => [key, references[key] as SecretReference] as const),
    ...(type.referencesOf?.(source) ?? []),
  ]
    .map(([key, reference]) => resultOf(SET_UP, '', () => resolveSecret(reference, secrets, `source.${key}`)))
    .filter(({ status }) => status === 'failed')
  if (missing.length === 0) return null
  const message = missing.map(({ seen }) => seen).join('; ')
  const todo = missing.map((part) => part.todo).join('; ')
  return { kind: 'no secret', status: null, message, todo }
}

async function readSource(
  context: BaseContext,
  integration: IntegrationConfig,
  scratch: Database | null,
  { items, filter }: LeftOut,
  budgetSeconds: number,
) {
  const quick = retriesOf(context, integration, FIRST_CONTACT_SECONDS)
  const patient = retriesOf(context, integration, budgetSeconds)
  const retries = quickAtFirst(quick, patient)
  const reader = openReader(context, integration, retries)
  const { source } = integration
  const inUtc = connect({ ...integration, source: { ...source, timeZone: 'UTC' } }, { ...context, ...reader })
  const tallyOf: TallyOf = (resource) => {
    const twin = inUtc.resources.find(({ name }) => name === resource.name)
    const holdsTimes = resource.columns.includes('start_time_status')
    if (!holdsTimes || twin === undefined) return sourceTypeOf(source).tally?.(resource)
    const [zoneless, zones] = [
      tallyZoneless(resource, twin),
      tallyZones(sourceTypeOf(source), source, resource),
    ]
    return (row) => [zoneless(row) ?? [], zones(row)].flat()
  }
  const namedIn = (resource: SourceResource) => namedPathsIn(integration, resource)
  const preview = scratch === null ? null : previewOf(scratch, integration, reader, items)
  try {
    const answers = await readAll(reader, tallyOf, namedIn, preview, filter)
    const isRead = (name: string) => answers.reads.get(name)?.outcome === 'read'
    const counts = (await preview?.count(isRead)) ?? {}
    return { answers, counts, dates: (await preview?.dates()) ?? null }
  } finally {
    reader.limits.connections.close()
  }
}
