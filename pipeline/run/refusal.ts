import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  CONFIG_KEYS,
  findBindings,
  OtherBindingError,
  requireBindable,
} from '../../loaders/ledger/binding.ts'
import { countRunsWithPack } from '../../loaders/ledger/ledger.ts'
import { findSuppressing } from '../../loaders/ledger/suppressed.ts'
import { MANIFEST_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { OPERATIONS_FILE } from '../../loaders/platform/jsonl.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { packsFolder, SUPPRESSIONS_FILE } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { pick } from '../runtime/pick.ts'
import { isRunId } from '../runtime/run-id.ts'
import { BehindError } from '../settings/errors.ts'
import { lookBehind } from './behind.ts'
import { bindingOf } from './recorded-run.ts'

export type Refusal = Pick<BehindError | OtherBindingError, 'what' | 'todo' | 'next'>

/**
 * Finds why `run` would refuse to continue from the ledger: another integration writes to the platform event,
 * or the database is older than its packs or its platform. Changes nothing.
 *
 * @param asksFence true if the platform is asked for its state
 * @returns null if `run` would not refuse
 */
export async function findRefusal(
  context: Context,
  integration: IntegrationConfig,
  asksFence: boolean,
): Promise<OtherBindingError | BehindError | null> {
  try {
    const binding = bindingOf(integration)
    const bindable = await requireBindable(context.database.kysely, integration.id, binding, false)
    await lookBehind(context, integration, {}, asksFence && !bindable.takesPlatformEvent)
    return null
  } catch (error) {
    if (error instanceof OtherBindingError || error instanceof BehindError) return error
    throw error
  }
}

/** The newest folders of packs that are compared with the ledger. */
const LOOKED_AT = 30

/**
 * Finds which integrations `run` would refuse, by id. It looks closely only at those that differ from the
 * ledger in their binding, in the newest packs of their folder, or by suppressions: with a thousand
 * integrations, a close look at each would take seconds.
 */
export async function findRefusals(
  context: Context,
  integrations: readonly IntegrationConfig[],
): Promise<ReadonlyMap<string, Refusal>> {
  const db = context.database.kysely
  const ids = integrations.map(({ id }) => id)
  const bound = new Map((await findBindings(db, ids)).map((one) => [one.integration_id, one]))
  const suppressing = new Set(await findSuppressing(db, ids))
  const folders = integrations.map(({ id }) => newestFolders(packsFolder(context, id)))
  const names = folders.flatMap((of, index) =>
    of.runs.map((run) => ({ integrationId: ids[index] ?? '', runId: run })),
  )
  const known = await countRunsWithPack(db, names)
  const refusals = new Map<string, Refusal>()
  for (const [index, integration] of integrations.entries()) {
    const { id } = integration
    const { runs = [], hasSuppressions = false } = folders[index] ?? {}
    const binding = bound.get(id)
    const isBound =
      binding?.owns_platform_event === true &&
      isDeepStrictEqual(pick(binding, ...BINDING_KEYS), bindingOf(integration))
    const isSame = isBound && !hasSuppressions && !suppressing.has(id) && (known.get(id) ?? 0) === runs.length
    const refusal = isSame ? null : await findRefusal(context, integration, false)
    if (refusal !== null) refusals.set(id, refusal)
  }
  return refusals
}

const BINDING_KEYS = Object.keys(CONFIG_KEYS) as (keyof typeof CONFIG_KEYS)[]

function newestFolders(folder: string) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  // The page of a plan that waits is in a folder without these files.
  const isPack = (name: string) =>
    [MANIFEST_FILE, OPERATIONS_FILE].some((file) => existsSync(join(folder, name, file)))
  const runs = names.filter(isRunId).sort().slice(-LOOKED_AT).filter(isPack)
  return { runs, hasSuppressions: names.includes(SUPPRESSIONS_FILE) }
}
