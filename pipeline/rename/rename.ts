import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_KEYS, findBindings } from '../../loaders/ledger/binding.ts'
import { findFormerIds, renamingOf } from '../../loaders/ledger/former-ids.ts'
import { findLastPackRun, findRun } from '../../loaders/ledger/ledger.ts'
import { findTablesInUse, renameRows, resealRows } from '../../loaders/ledger/rename.ts'
import { findWaitingPlan, makePlansStale } from '../../loaders/ledger/stored-plan.ts'
import { openChain } from '../../loaders/verify/chain.ts'
import { readPacks } from '../../loaders/verify/found-manifest.ts'
import type { Db } from '../../sql/tables.ts'
import { resolveSigner } from '../config/signing.ts'
import { bindingOf } from '../context/current-id.ts'
import { resealerOf } from '../context/keys.ts'
import { packsFolder } from '../context/pack-folder.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, timestamp, whileLocked } from '../context/run-context.ts'
import { lockUntilCommit } from '../database/integration-lock.ts'
import { renameInQueue } from '../database/job-queue.ts'
import { removeOldPlanPages } from '../packs/plan-page.ts'
import { pointsOf } from '../runtime/events.ts'
import type { Renamed } from '../schemas/setup.ts'
import { UserError } from '../settings/errors.ts'

const NOTHING = 'nothing was renamed'

/**
 * Changes the id of an integration. The function first changes the database in one transaction, and then
 * renames the folder of the packs. If the process is killed before it renames the folder, the next command
 * that works on the integration renames it.
 *
 * @throws UserError if the new id is in use, if a run is unfinished, or if another process holds the lock of
 *   one of the ids
 */
export async function rename(context: Context, from: string, to: string): Promise<Renamed> {
  await requireConfigured(context, from, to)
  // A signing key that cannot be read would stop the renaming halfway, when the note beside the packs is signed.
  resolveSigner(context.config, context.secrets)
  const stored = (await findEarlier(context, from, to)) ?? (await store(context, from, to))
  // `whileLocked` also renames the folder of the packs.
  const isDone = await whileLocked(context, to, async (locked) => {
    await removeOldPlanPages(locked, to)
    return true
  })
  if (isDone === null) throw isLocked(to, `the folder of its packs is renamed by what has it`)
  return { ...stored, integration: to, formerId: from, folder: packsFolder(context, to) }
}

type Stored = Pick<Renamed, 'renamedAt' | 'isNew' | 'rows' | 'stalePlan'>

/**
 * Requires that the configuration contains exactly one of the two ids. If it contains the new id, this id
 * must have the source event and platform event of the integration.
 */
async function requireConfigured({ config, database }: Context, from: string, to: string): Promise<void> {
  const [former, renamed] = [from, to].map((id) => config.integrations.find((one) => one.id === id))
  if (former !== undefined && renamed !== undefined)
    throw new UserError(
      'usage',
      `the configuration has both ${from} and ${to}, so they are two integrations`,
      `keep one of the two entries, then rename; ${NOTHING}`,
    )
  if (former === undefined && renamed === undefined)
    throw new UserError(
      'usage',
      `the configuration has neither ${from} nor ${to}`,
      `its integrations are: ${config.integrations.map(({ id }) => id).join(', ')}; ${NOTHING}`,
    )
  const [bound] = await findBindings(database.kysely, [from])
  if (renamed === undefined || bound === undefined) return
  const binding = bindingOf(renamed)
  const keys = Object.keys(binding) as (keyof typeof binding)[]
  const other = keys.find((key) => binding[key] !== bound[key])
  if (other === undefined) return
  throw new UserError(
    'usage',
    `${from} is bound to ${CONFIG_KEYS[other]} "${bound[other]}", and the configuration has "${binding[other]}" for ${to}`,
    `if ${to} is to be ${from} under another id, rename it with the former value, then change the value and run \`event-sync run ${to} --rebind\`; ${NOTHING}`,
  )
}

/**
 * Returns what an earlier call stored, if this call repeats it or if the earlier call was killed. Returns
 * null if no earlier call stored anything.
 */
async function findEarlier({ database }: Context, from: string, to: string): Promise<Stored | null> {
  const last = (await findFormerIds(database.kysely, to)).at(-1)
  if (last?.formerId !== from || (await findTablesInUse(database.kysely, from)).length > 0) return null
  return { renamedAt: last.renamedAt.toISOString(), isNew: false, rows: {}, stalePlan: null }
}

/** Renames an integration in the database, and records that its folder must still be renamed. */
async function store(context: Context, from: string, to: string): Promise<Stored> {
  const stored = await whileLocked(context, from, async (locked) => {
    const at = timestamp(context.environment)
    const folders = await lookAtFolders(locked, from, to)
    const { rows, stalePlan } = await locked.database.transaction(async (transaction) => {
      if (!(await lockUntilCommit(transaction, to))) throw isLocked(to, NOTHING)
      await requireRenamable(transaction, context, from, to, folders)
      const waiting = await findWaitingPlan(transaction, from)
      // The hash of a plan depends on the id of the integration, so the stored plan cannot be applied after
      // the renaming.
      await makePlansStale(transaction, from)
      await resealRows(transaction, from, (name, sealed) => resealerOf(context, from, to)(name, sealed))
      const { lastPack } = folders
      const renaming = { from, to, at, by: context.environment.user, lastPack }
      const rows = await renameRows(transaction, renaming)
      await renameInQueue(transaction, from, to)
      await recordAction(transaction, context, to, 'renamed', { detail: `from ${from}` })
      return { rows, stalePlan: waiting?.run_id ?? null }
    })
    pointsOf(context.events, to)('renaming stored')
    return { renamedAt: at, isNew: true, rows, stalePlan }
  })
  if (stored === null) throw isLocked(from, NOTHING)
  return stored
}

function isLocked(id: string, what: string): UserError {
  return new UserError('locked', `${id} is locked by another process`, `wait until it ends; ${what}`)
}

async function requireRenamable(
  transaction: Db,
  { config, outputFolder }: Context,
  from: string,
  to: string,
  { hasPacks, isTaken }: Awaited<ReturnType<typeof lookAtFolders>>,
): Promise<void> {
  const used = await findTablesInUse(transaction, to)
  if (used.length > 0)
    throw new UserError(
      'state',
      `the database already knows ${to} (${used.join(', ')})`,
      `choose another id, or erase what is known of ${to}: \`event-sync erase ${to} --confirm ${to}\`; ${NOTHING}`,
    )
  if (!hasPacks && (await findTablesInUse(transaction, from)).length === 0)
    throw new UserError(
      'usage',
      `neither the database nor ${outputFolder} has anything of ${from}`,
      `check the id; \`event-sync runs\` lists those of the configuration; ${NOTHING}`,
    )
  if (!hasPacks && (await findLastPackRun(transaction, from)) !== null)
    throw new UserError(
      'state',
      `the folder of the packs of ${from} is missing: ${join(outputFolder, from)}`,
      `mount or restore the output folder; if the packs were deleted on purpose, make an empty folder of that name; ${NOTHING}`,
    )
  if (isTaken)
    throw new UserError(
      'state',
      `${join(outputFolder, to)} exists already and has other files`,
      `choose another id, or move the folder away; ${NOTHING}`,
    )
  const open = await findRun(transaction, { integrationId: from, statuses: ['applying', 'applied'] })
  if (open === undefined) return
  const isEdited = config.integrations.some(({ id }) => id === to)
  const first = isEdited ? `set the id in the configuration to ${from} again, ` : ''
  throw new UserError(
    'state',
    `run ${open.run_id} of ${from} is not finished, and what it sends names ${from}`,
    `${first}finish it with \`event-sync run ${from}\`, then rename; ${NOTHING}`,
  )
}

/**
 * Examines the folders of the former and the new id. The folder may already have the new name, for example if
 * the database was restored from a backup.
 *
 * @returns `lastPack`: the last run whose pack contains the former id. `hasPacks`: true if the integration
 *   has packs. `isTaken`: true if the folder of the new id contains files that are not packs of the
 *   integration
 */
async function lookAtFolders(context: Context, from: string, to: string) {
  const [former, folder] = [packsFolder(context, from), packsFolder(context, to)]
  const isFormer = existsSync(former)
  const isUsed = existsSync(folder) && readdirSync(folder).length > 0
  const place = isFormer ? former : folder
  const { links, renamings } = existsSync(place) ? await readPacks(place, null) : NO_PACKS
  const renaming = await renamingOf(context.database.kysely, from)
  const chain = openChain(links, [renaming, ...renamings])
  const own = links.filter(({ integration }) => chain.isSame(integration, from))
  const runs = own.flatMap(({ integration, run }) => (integration === to ? [] : [run]))
  return {
    lastPack: runs.sort().at(-1) ?? null,
    hasPacks: isFormer || own.length > 0,
    isTaken: isUsed && (isFormer || own.length === 0),
  }
}

const NO_PACKS = { links: [], renamings: [] }
