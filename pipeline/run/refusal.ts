import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  CONFIG_KEYS,
  findBindings,
  OtherBindingError,
  requireBindable,
} from '../../loaders/ledger/binding.ts'
import { findFoldersDue, findFormerIds } from '../../loaders/ledger/former-ids.ts'
import { countRunsWithPack } from '../../loaders/ledger/ledger.ts'
import { findSuppressing } from '../../loaders/ledger/suppressed.ts'
import { MANIFEST_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { OPERATIONS_FILE } from '../../loaders/platform/jsonl.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { bindingOf, requireCurrentId } from '../context/current-id.ts'
import { packsFolder, SUPPRESSIONS_FILE } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { whyMoved } from '../database/moved.ts'
import { pick } from '../runtime/pick.ts'
import { isRunId } from '../runtime/run-id.ts'
import { BehindError, RenamedError } from '../settings/errors.ts'
import { lookBehind } from './behind.ts'

export type Refusal = Pick<BehindError | OtherBindingError, 'what' | 'todo' | 'next'>

/**
 * Finds why `run` would refuse to work with the database. One possible reason is that another integration
 * writes to the platform event. Another reason is that the integration was renamed only in the database or
 * only in the configuration, or the folder of its packs is not renamed yet. A third reason is that the database is older than its packs or its platform. The
 * function changes nothing.
 *
 * @param asksFence true if the platform is queried for its state
 * @returns null if `run` would not refuse
 */
export async function findRefusal(
  context: Context,
  integration: IntegrationConfig,
  asksFence: boolean,
): Promise<OtherBindingError | BehindError | RenamedError | null> {
  try {
    await requireCurrentId(context.database.kysely, context, integration)
    await requireFolderRenamed(context, integration)
    const binding = bindingOf(integration)
    const bindable = await requireBindable(context.database.kysely, integration.id, binding, false)
    await lookBehind(context, integration, {}, asksFence && !bindable.takesPlatformEvent)
    return null
  } catch (error) {
    if (error instanceof OtherBindingError) return error
    if (error instanceof BehindError || error instanceof RenamedError) return error
    throw error
  }
}

/** @throws RenamedError if the integration was renamed, and the folder of its packs was not yet renamed */
async function requireFolderRenamed({ database, outputFolder }: Context, { id }: IntegrationConfig) {
  const due = (await findFormerIds(database.kysely, id)).find(({ isFolderDue }) => isFolderDue)
  if (due === undefined) return
  throw new RenamedError(
    `${id} was renamed in the database, but the folder of its packs is not yet renamed from ${join(outputFolder, due.formerId)}`,
    `\`event-sync run ${id}\` renames it, or says why it cannot`,
    `event-sync run ${id}`,
  )
}

/** Number of newest pack folders that are compared with the runs in the database. */
const LOOKED_AT = 30

/**
 * Finds the integrations that `run` would refuse, and the reasons, by the id of the integration. A close
 * check of a thousand integrations would take seconds. An integration is checked closely only if its binding
 * or its newest packs differ from the database, or if it has suppressions.
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
  const foldersDue = new Set(await findFoldersDue(db))
  const moved = await whyMoved(db)
  if (moved !== null) return new Map(ids.map((id) => [id, { ...moved, next: `event-sync check ${id}` }]))
  const refusals = new Map<string, Refusal>()
  for (const [index, integration] of integrations.entries()) {
    const { id } = integration
    const { runs = [], hasSuppressions = false } = folders[index] ?? {}
    const binding = bound.get(id)
    const isBound =
      binding?.owns_platform_event === true &&
      isDeepStrictEqual(pick(binding, ...BINDING_KEYS), bindingOf(integration))
    const hasPacks = runs.length > 0 || binding?.last_pack_run === null
    const isSame =
      !foldersDue.has(id) &&
      isBound &&
      hasPacks &&
      !hasSuppressions &&
      !suppressing.has(id) &&
      (known.get(id) ?? 0) === runs.length
    const refusal = isSame ? null : await findRefusal(context, integration, false)
    if (refusal !== null) refusals.set(id, refusal)
  }
  return refusals
}

const BINDING_KEYS = Object.keys(CONFIG_KEYS) as (keyof typeof CONFIG_KEYS)[]

function newestFolders(folder: string) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  // The folder with the page of a waiting plan does not contain these files.
  const isPack = (name: string) =>
    [MANIFEST_FILE, OPERATIONS_FILE].some((file) => existsSync(join(folder, name, file)))
  const runs = names.filter(isRunId).sort().slice(-LOOKED_AT).filter(isPack)
  return { runs, hasSuppressions: names.includes(SUPPRESSIONS_FILE) }
}
