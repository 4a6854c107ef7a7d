import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG_KEYS, findBindings } from '../../loaders/ledger/binding.ts'
import { findFormerIds, renamingOf } from '../../loaders/ledger/former-ids.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import { findTablesInUse, renameRows, resealRows } from '../../loaders/ledger/rename.ts'
import { findWaitingPlan } from '../../loaders/ledger/stored-plan.ts'
import { makePlansStale } from '../../loaders/people/forgotten.ts'
import { openChain } from '../../loaders/verify/chain.ts'
import { readPacks } from '../../loaders/verify/found-manifest.ts'
import type { Db } from '../../sql/tables.ts'
import { bindingOf } from '../context/current-id.ts'
import { resealerOf } from '../context/keys.ts'
import { packsFolder } from '../context/pack-folder.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, timestamp, whileLocked } from '../context/run-context.ts'
import { lockUntilCommit } from '../database/integration-lock.ts'
import { renameInQueue } from '../database/job-queue.ts'
import { removeOldPlanPages } from '../packs/plan-page.ts'
import { pointsOf } from '../runtime/events.ts'
import { UserError } from '../settings/errors.ts'

/** The result of `rename`. */
export interface Renamed {
  readonly integration: string
  readonly formerId: string
  readonly renamedAt: string
  /** False if an earlier call had already renamed the integration in the database. */
  readonly isNew: boolean
  /** Number of rows by table; empty if `isNew` is false. */
  readonly rows: Readonly<Record<string, number>>
  /** Run of the plan that waited, and can no longer be applied; null if none waited. */
  readonly stalePlan: string | null
  /** Folder of the packs, under the new id. */
  readonly folder: string
}

const NOTHING = 'nothing was renamed'

/**
 * Gives an integration another id: first in the database, in one transaction, then its folder of packs. If it
 * is killed in between, this command or the next one that works on the integration renames the folder.
 *
 * @throws UserError if the new id is in use, a run must be finished first, or another process holds one of
 * the ids
 */
export async function rename(context: Context, from: string, to: string): Promise<Renamed> {
  await requireConfigured(context, from, to)
  const stored = (await findEarlier(context, from, to)) ?? (await store(context, from, to))
  // The lock of the new id also renames the folder.
  const isDone = await whileLocked(context, to, async (locked) => {
    await removeOldPlanPages(locked, to)
    return true
  })
  if (isDone === null) throw isLocked(to, `the folder of its packs is renamed by what has it`)
  return { ...stored, integration: to, formerId: from, folder: packsFolder(context, to) }
}

type Stored = Pick<Renamed, 'renamedAt' | 'isNew' | 'rows' | 'stalePlan'>

/**
 * Requires that exactly one of the two ids is configured. If it is the new one, it must have the events of
 * the integration.
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

/** Returns what an earlier call stored that was killed before its end, or that is repeated; null if none. */
async function findEarlier({ database }: Context, from: string, to: string): Promise<Stored | null> {
  const last = (await findFormerIds(database.kysely, to)).at(-1)
  if (last?.formerId !== from || (await findTablesInUse(database.kysely, from)).length > 0) return null
  return { renamedAt: last.renamedAt.toISOString(), isNew: false, rows: {}, stalePlan: null }
}

/** Renames an integration in the database, and notes that its folder is still to be renamed. */
async function store(context: Context, from: string, to: string): Promise<Stored> {
  const stored = await whileLocked(context, from, async (locked) => {
    const at = timestamp(context.environment)
    const folders = await lookAtFolders(locked, from, to)
    const { rows, stalePlan } = await locked.database.transaction(async (transaction) => {
      if (!(await lockUntilCommit(transaction, to))) throw isLocked(to, NOTHING)
      await requireRenamable(transaction, context, from, to, folders)
      const waiting = await findWaitingPlan(transaction, from)
      // The hash of a plan has the id of its integration, so a stored plan cannot be applied any more.
      await makePlansStale(transaction, from)
      await resealRows(transaction, from, (name, sealed) => resealerOf(context, from, to)(name, sealed))
      const { lastPack } = folders
      const renaming = { from, to, at, by: context.environment.user, lastPack }
      const rows = await renameRows(transaction, renaming)
      await renameInQueue(transaction, from, to)
      await recordAction(transaction, context, to, 'renamed', { detail: from })
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
 * Looks at the folders of both ids. The folder may already have the new name, for example if the database was
 * restored from a backup.
 *
 * @returns `lastPack`: the last run with a pack under the former id. `hasPacks`: true if there are packs of the
 *   integration. `isTaken`: true if the folder of the new id has other files
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
