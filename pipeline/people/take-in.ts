import { setRevision } from '../../loaders/ledger/suppressed.ts'
import { findUnknownPacks } from '../../loaders/verify/gap.ts'
import type { Db, GapPack, KnownSuppressions } from '../../sql/tables.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { requireCurrentId } from '../context/current-id.ts'
import { forgettingKeysOf } from '../context/keys.ts'
import { packsFolder } from '../context/pack-folder.ts'
import { type Context, whileLocked } from '../context/run-context.ts'
import { findSuppression } from '../context/suppression.ts'
import { reissuePacks } from '../packs/export.ts'
import { BehindError, UserError } from '../settings/errors.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import {
  describeKept,
  findUnknownSuppressions,
  keepNamed,
  newestIn,
  requireKeepable,
  type UnknownSuppressions,
  writeSuppressions,
} from './beside-packs.ts'
import { erasePerson } from './erase-person.ts'
import { countsOf } from './suppressions.ts'
import type { SuppressionsFile } from './suppressions-file.ts'

/**
 * Finds suppressions in the file beside the packs that this database does not have.
 *
 * @returns null if there are no such suppressions
 * @param isAccepted true if the caller may import such suppressions
 * @throws BehindError if such suppressions exist and `isAccepted` is false, or if the file is missing
 */
export async function lookAtSuppressions(
  context: Context,
  id: string,
  packs: readonly GapPack[],
  isAccepted: boolean,
) {
  const unknown = await findUnknownSuppressions(context, id, packs)
  if (unknown === null) return null
  const { path, file, revision, known } = unknown
  const older = 'it was restored from a backup, or it is another database'
  if (file === null) {
    throw new BehindError(
      `the packs of ${id} say that ${path} has revision ${revision}, which names whom and what ${id} keeps out, but ${known === 0 ? 'this database knows of none' : `this database knows revision ${known}`}, and the file is missing or older: without it, people who must stay out would come back`,
      `put the file back, for example from a backup; if it is lost, \`event-sync suppressions renew ${id}\` writes it with what this database keeps out`,
      `event-sync suppressions renew ${id}`,
    )
  }
  if (!isAccepted) {
    throw new BehindError(
      `${path} has revision ${revision} and keeps out ${describeKept(countsOf(file))}, but ${known === 0 ? 'this database knows of no such file' : `this database knows revision ${known}`}: ${older}`,
      `use the database that wrote it, or \`event-sync run ${id} --refresh\`, which takes the file in before it plans`,
      `event-sync run ${id} --refresh`,
    )
  }
  return { ...unknown, file }
}

/**
 * Imports the file beside the packs if it has suppressions that this database does not have. The import must
 * happen before a command changes suppressions.
 *
 * @param isLocked true if the caller holds the lock of the integration
 * @returns a sentence for the user about imported suppressions; empty if no suppressions were imported
 * @throws BehindError if the file is missing; RenamedError if the integration has another id in the database
 */
export async function takeInUnknown(
  context: Context,
  integration: IntegrationConfig,
  isLocked: boolean,
): Promise<readonly string[]> {
  const { id } = integration
  await requireCurrentId(context.database.kysely, context, integration)
  await requireKeepable(context, integration)
  const { packs } = await findUnknownPacks(
    context.database.kysely,
    id,
    packsFolder(context, id),
    context.environment.now(),
  )
  const unknown = await lookAtSuppressions(context, id, packs, true)
  if (unknown === null) return []
  const take = (locked: Context) => takeInSuppressions(locked, integration, unknown)
  const said = isLocked ? await take(context) : await whileLocked(context, id, take)
  if (said !== null) return [said]
  throw new UserError(
    'locked',
    `${id} is locked by another process`,
    'wait until it ends; nothing was stored',
  )
}

/**
 * Writes the suppressions of this database into a new file beside the packs. The revision of the file is
 * higher than any revision in a manifest.
 */
export async function renewSuppressions(
  context: Context,
  integration: IntegrationConfig,
): Promise<KnownSuppressions | null> {
  const { id } = integration
  await requireCurrentId(context.database.kysely, context, integration)
  const { packs } = await findUnknownPacks(
    context.database.kysely,
    id,
    packsFolder(context, id),
    context.environment.now(),
  )
  return writeSuppressions(context, integration, newestIn(context, id, packs).revision)
}

/**
 * Imports the file beside the packs into the database. The suppressions in the file apply in this database
 * from then on. If a restored database has brought back data of forgotten people, this data is erased again.
 *
 * @param writesPacks false if packs with these people must not be written again
 * @returns a sentence for the user If the process dies at any point, the function can be called again.
 */
export async function takeInSuppressions(
  context: Context,
  integration: IntegrationConfig,
  unknown: UnknownSuppressions & { readonly file: SuppressionsFile },
  writesPacks = true,
): Promise<string> {
  const { database } = context
  const what = await keepNamed(context, integration, unknown)
  const erased = await eraseAgain(context, integration, writesPacks)
  await database.transaction((transaction) => setRevision(transaction, integration.id, unknown.revision))
  return `${what} were taken in from ${unknown.path}${erased === 0 ? '' : `; ${counted(erased, 'id')} of them ${erased === 1 ? 'was' : 'were'} in the restored database, and ${erased === 1 ? 'is' : 'are'} erased again`}`
}

/**
 * Erases forgotten people whose records are in staging again.
 *
 * @returns the number of people who were erased
 */
async function eraseAgain(
  context: Context,
  integration: IntegrationConfig,
  writesPacks: boolean,
): Promise<number> {
  const { kysely } = context.database
  const suppression = await findSuppression(kysely, context, integration)
  if (suppression === null) return 0
  const { table } = sourceTypeOf(integration.source).transform.people
  const ids = (await findStagedIds(kysely, integration.id, table)).filter(suppression.isId)
  const keys = forgettingKeysOf(context, integration.id)
  for (const id of ids) await erasePerson(context, integration, keys, { id }, false)
  if (ids.length > 0 && writesPacks) await reissuePacks(context, integration.id)
  return ids.length
}

async function findStagedIds(db: Db, integrationId: string, table: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom(asAny(table as Parameters<typeof asAny>[0]))
    .where('integration_id', '=', integrationId)
    .distinct()
    .orderBy('source_id')
    .select('source_id')
    .execute()
  return rows.map(({ source_id }) => source_id)
}
