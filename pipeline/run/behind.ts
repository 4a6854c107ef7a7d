import { join } from 'node:path'
import { findRun, giveUpRuns, hasApplied } from '../../loaders/ledger/ledger.ts'
import { countKnown } from '../../loaders/platform/known-items.ts'
import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import { readManifest } from '../../loaders/verify/found-manifest.ts'
import { findUnknownPacks } from '../../loaders/verify/gap.ts'
import type { GapPack } from '../../sql/tables.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { resolvePublicKey } from '../config/signing.ts'
import { platformReaderOf } from '../context/connect.ts'
import { limitsOf } from '../context/limits.ts'
import { packsFolder } from '../context/pack-folder.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { ReadError } from '../http/read-error.ts'
import { requireKeepable } from '../people/beside-packs.ts'
import { lookAtSuppressions, takeInSuppressions } from '../people/take-in.ts'
import { BehindError, UserError } from '../settings/errors.ts'
import { targetTypeOf } from '../targets/registry.ts'

/** Packs of runs that the database does not have. Usually there are none. */
export interface Gap {
  /** Sentences for the report about suppressions that the run has imported at its start. */
  readonly notes: readonly string[]
  /** Packs that the next manifest lists as a gap. */
  readonly packs: readonly GapPack[]
  /** Packs whose operations are treated as applied at the platform. */
  readonly toReplay: readonly GapPack[]
  /**
   * The error if the platform could not be queried for its state; otherwise null. With such an error, no new
   * plan can be made.
   */
  readonly unasked: Error | null
}

type Accepted = Partial<Record<'refresh' | 'unsigned' | 'fresh' | 'rebind', boolean | undefined>> & {
  /** True if nothing may be written to files. */
  readonly isPreview?: boolean
}

/**
 * Checks that the database is not older than the packs beside it, the file of suppressions and the platform.
 * A database that was restored from a backup would plan from an outdated state. A database replica that lost
 * its last runs would do so too. A plan from an outdated state could also bring back people who must not be
 * synced.
 *
 * @param takesPlatformEvent true if the platform event is new to the integration; its fence (the highest run
 *   number that the platform has accepted) is then not compared
 * @throws UserError if the database is older and no option of the command accepts this
 */
export async function requireUpToDate(
  context: Context,
  integration: IntegrationConfig,
  accepted: Accepted,
  takesPlatformEvent: boolean,
): Promise<Gap> {
  const { database } = context
  const { id } = integration
  const { packs, added, isOther, unasked, unknown } = await lookBehind(
    context,
    integration,
    accepted,
    !takesPlatformEvent,
  )
  const writesPacks = accepted.isPreview !== true
  const notes = unknown === null ? [] : [await takeInSuppressions(context, integration, unknown, writesPacks)]
  await requireKeepable(context, integration)
  const toReplay = accepted.refresh === true && !canBeRead(integration) ? added : []
  if (added.length === 0 && !isOther) return { packs, toReplay, unasked, notes }
  // Operations that were being sent at the time of the backup have either been applied since, or must never
  // be applied.
  const why = 'given up, because this database was not as new as its packs or its platform'
  const now = timestamp(context.environment)
  await database.transaction((transaction) => giveUpRuns(transaction, id, why, now))
  // Runs that are given up here may have had gaps of their own. The next run must list the gaps of these
  // runs.
  return {
    ...(await findUnknownPacks(database.kysely, id, packsFolder(context, id), context.environment.now())),
    toReplay,
    unasked,
    notes,
  }
}

/**
 * Makes the same checks as `requireUpToDate`, but changes nothing.
 *
 * @param asksFence true if the platform is queried for its state
 * @throws BehindError if the database is older and no option of the command accepts this
 */
export async function lookBehind(
  context: Context,
  integration: IntegrationConfig,
  { refresh = false, unsigned = false, fresh = false, rebind = false }: Accepted,
  asksFence: boolean,
) {
  const { database } = context
  const { id } = integration
  const folder = packsFolder(context, id)
  const { packs, isNew } = await findUnknownPacks(database.kysely, id, folder, context.environment.now())
  const added = packs.filter(isNew)
  const isFirst = !(await hasApplied(database.kysely, id))
  // A database without runs reads all items of the platform, so the packs beside it are not needed.
  const isAccepted = refresh || (isFirst && (canBeRead(integration) || fresh))
  if (added.length > 0 && !isAccepted) throw await behindPacks(context, integration, added, isFirst)
  // If the platform cannot list its items, only the packs say which items it has. Each of these packs must
  // then be signed.
  if (refresh && !unsigned && !canBeRead(integration)) requireSigned(context, id, added)
  const unknown = await lookAtSuppressions(context, id, packs, refresh || fresh || rebind)
  if (refresh && !canBeRead(integration) && added.length === 0 && unknown === null) {
    throw new UserError(
      'usage',
      `--refresh: nothing to refresh: the database knows all packs of ${id}, and its platform is of type ${integration.platform.type}, from which nothing can be read back`,
      'run without --refresh',
    )
  }
  let unasked: Error | null = null
  const other = asksFence
    ? await findOtherState(context, integration).catch((error: unknown) => {
        // If the platform is newer than the database, it will reject the operations itself.
        if (!(error instanceof ReadError || error instanceof PlatformRefusalError)) throw error
        unasked = error
        return null
      })
    : null
  if (other !== null && !refresh) {
    throw new BehindError(
      other,
      `\`event-sync run ${id} --refresh\` reads back what the platform has and continues from there`,
      `event-sync run ${id} --refresh`,
    )
  }
  return { packs, added, isOther: other !== null, unasked, unknown }
}

function canBeRead({ platform }: IntegrationConfig): boolean {
  return targetTypeOf(platform).read !== null
}

/**
 * Checks that packs are signed with the configured key. Without a signature, it is unknown who wrote a pack.
 *
 * @throws BehindError if a key is configured and a pack is not signed with this key
 */
function requireSigned(context: Context, id: string, packs: readonly GapPack[]): void {
  const publicKey = resolvePublicKey(context.config, context.secrets)
  if (publicKey === null) return
  const folder = packsFolder(context, id)
  const others = packs.filter(({ run }) => !readManifest(join(folder, run), publicKey)?.manifest)
  if (others.length === 0) return
  throw new BehindError(
    `${counted(others.length, 'pack')} in ${folder} that this database does not know ${others.length === 1 ? 'is' : 'are'} not signed with audit.signingKey (${named(others)}): a run that was killed before its pack was whole left it, another key signed it, or somebody else put it there`,
    `move away what none of your runs wrote; to believe the others, \`event-sync run ${id} --refresh --unsigned\``,
    `event-sync run ${id} --refresh --unsigned`,
  )
}

/** Maximum number of folders that a message names. */
const NAMED = 5

function named(packs: readonly GapPack[]): string {
  const names = packs.slice(-NAMED).map(({ run }) => run)
  return packs.length > NAMED ? `the last: ${names.join(', ')}` : names.join(', ')
}

async function behindPacks(
  context: Context,
  integration: IntegrationConfig,
  added: readonly GapPack[],
  isFirst: boolean,
): Promise<BehindError> {
  const { id } = integration
  const known = await findRun(context.database.kysely, { integrationId: id, statuses: ['finished'] })
  const end = known === undefined ? `has no run of ${id}` : `ends at run ${known.run_id} of ${id}`
  const from = canBeRead(integration)
    ? 'reads back what the platform has'
    : 'assumes that the platform has what the operations files say'
  const or = isFirst ? '; or `--fresh`, to create everything again' : ''
  const folder = packsFolder(context, id)
  return new BehindError(
    `this database ${end}, but the packs in ${folder} end at run ${added.at(-1)?.run}, and the database does not know ${added.length} of them (${named(added)}): it was restored from a backup, or it is another database`,
    `use the database that wrote them, or \`event-sync run ${id} --refresh\`, which ${from} and notes the gap${or}; a folder that none of your runs wrote may be moved away`,
    `event-sync run ${id} --refresh`,
  )
}

/**
 * Describes how the state of the platform differs from the state in the database. The platform may be newer,
 * may have been restored from a backup, or may have other items. Returns null if the states are equal or the
 * platform cannot be queried.
 */
async function findOtherState(context: Context, integration: IntegrationConfig): Promise<string | null> {
  const { kysely } = context.database
  const { id: integrationId, content: contents } = integration
  const bound = await kysely
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select(['fence', 'platform_fence', 'contents_read_back'])
    .executeTakeFirst()
  const known = contents.filter((content) => bound?.contents_read_back.includes(content))
  if (bound === undefined || known.length === 0) return null
  // Items are not counted while a plan is being applied, because some of its operations may have been applied
  // without a record in this database. The run that finishes the plan counts the items.
  const onItsWay = await findRun(kysely, { integrationId, statuses: ['applying'] })
  const counts = onItsWay === undefined ? await countKnown(kysely, integrationId) : null
  const limits = limitsOf(context, integration)
  try {
    const platform = platformReaderOf({ ...context, limits }, integration)
    if (platform === null) return null
    const { hasFence } = targetTypeOf(integration.platform)
    for (const content of known) {
      const { fence, total } = await platform.stateOf(content)
      if (hasFence) {
        const taken = `the platform has accepted fence ${fence ?? 'none'} for the event of ${integrationId}`
        if (BigInt(fence ?? 0) > BigInt(bound.fence))
          return `${taken}, but the highest fence of this database is ${bound.fence}: it was restored from a backup, or another database writes there`
        if (BigInt(fence ?? 0) < BigInt(bound.platform_fence))
          return `${taken}, but had accepted ${bound.platform_fence} before: it was restored from a backup, or emptied`
      }
      const count = counts?.get(content) ?? 0
      if (counts !== null && total !== null && total !== count)
        return `the platform has ${total} items of ${content} for ${integrationId}, but this database knows of ${count}: it was restored from a backup, or somebody else writes there`
    }
    return null
  } finally {
    limits.connections.close()
  }
}
