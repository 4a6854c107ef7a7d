import { sql } from 'kysely'
import { UNIQUE_VIOLATION } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { sourcePlace } from '../../transforms/rules/source-place.ts'
import { forgetMarks } from '../staging/marks.ts'
import { giveUpRuns } from './ledger.ts'

/** The source and the platform to which an integration is bound by its first run. */
export interface Binding {
  readonly source: string
  readonly source_url: string
  readonly source_event_id: string
  readonly platform: string
  readonly platform_url: string
  readonly platform_event_id: string
}

/** Keys of the configuration file, for use in messages. */
export const CONFIG_KEYS: Readonly<Record<keyof Binding, string>> = {
  source: 'source.type',
  source_url: 'source.url',
  source_event_id: 'source.eventId',
  platform: 'platform.type',
  platform_url: 'platform.url',
  platform_event_id: 'platform.eventId',
}

/**
 * The source event that an integration reads. Suppressions belong to the source event, not to an integration.
 * A suppression applies to all integrations that read the source event, with any spelling of the event's URL.
 */
export interface SourceEvent {
  readonly source: string
  readonly source_place: string
  readonly source_event_id: string
}

export function sourceEventOf({
  source,
  source_url,
  source_event_id,
}: Pick<Binding, 'source' | 'source_url' | 'source_event_id'>): SourceEvent {
  return { source, source_place: sourcePlace(source_url), source_event_id }
}

/** An integration together with the source event that the integration reads. */
export interface SourceBinding {
  readonly integrationId: string
  readonly event: SourceEvent
}

/**
 * Thrown if the source or platform of an integration differs from earlier runs, or if another integration
 * writes to the same platform event.
 */
export class OtherBindingError extends Error {
  override readonly name = 'OtherBindingError'
  /** The command with which a user accepts the new source or platform. */
  readonly next: string
  readonly what: string
  readonly todo: string

  constructor(integrationId: string, what: string, todo: string, options?: ErrorOptions) {
    super(`${what}; ${todo}; platform untouched`, options)
    this.next = `event-sync run ${integrationId} --rebind`
    this.what = what
    this.todo = todo
  }
}

/**
 * Stores the source and platform of an integration. If the integration moves to another platform event, the
 * integration's known items and passwords are deleted. The function runs several statements, so the caller
 * must provide a transaction.
 *
 * @param timeZone time zone of the source, stored for readers of the database; a later run may have another
 *   time zone
 * @returns `platformRevision`: revision of the known platform items from which plans are made. `formerEvent`:
 *   the previous source event; null if the source event has not changed. `rebound`: what `rebind` changed;
 *   null if `rebind` changed nothing
 */
export async function bindIntegration(
  transaction: Db,
  integrationId: string,
  binding: Binding,
  timeZone: string | null,
  rebind: boolean,
): Promise<{
  readonly platformRevision: string
  readonly formerEvent: SourceEvent | null
  readonly rebound: string | null
}> {
  const { takesPlatformEvent, isNew, isOtherSource, known, others } = await requireBindable(
    transaction,
    integrationId,
    binding,
    rebind,
  )
  const { source_place } = sourceEventOf(binding)
  // The stored marks and readings belong to the former event and do not apply to the new event.
  if (isOtherSource) await forgetMarks(transaction, integrationId)
  // Without `rebind`, no other integration owns the event here. If one binds it at this moment, the unique
  // index decides.
  let takenFrom = 0n
  if (takesPlatformEvent && rebind) {
    const { numUpdatedRows } = await transaction
      .updateTable('sync.integrations')
      .set({ owns_platform_event: false })
      .where('integration_id', '<>', integrationId)
      .where('platform_url', '<>', '')
      .where('owns_platform_event', '=', true)
      .where(({ and }) => and(platformOf(binding)))
      .executeTakeFirstOrThrow()
    takenFrom = numUpdatedRows
    for (const table of isNew ? [] : (['sync.platform_items', 'sync.passwords'] as const)) {
      await transaction
        .deleteFrom(table as 'sync.passwords')
        .where('integration_id', '=', integrationId)
        .execute()
    }
  }
  const { base } = await transaction
    .insertInto('sync.integrations')
    .values({ integration_id: integrationId, ...binding, source_place, time_zone: timeZone, base: 0 })
    .onConflict((conflict) =>
      conflict.column('integration_id').doUpdateSet((eb) => ({
        ...binding,
        source_place,
        time_zone: timeZone,
        ...(takesPlatformEvent
          ? {
              base: eb('sync.integrations.base', '+', eb.lit(1)),
              platform_base: eb('sync.integrations.base', '+', eb.lit(1)),
              contents_read_back: [],
              platform_fence: 0,
              owns_platform_event: true,
            }
          : {}),
      })),
    )
    .returning('base')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      // At the same moment, another process has bound another integration to this platform event.
      if (!(error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)) throw error
      throw isTaken(integrationId, binding, 'another integration', { cause: error })
    })
  const formerEvent = known !== undefined && isOtherSource ? sourceEventOf(known) : null
  const changed = others.map(
    (key) => `${CONFIG_KEYS[key]} from ${quoted(known?.[key])} to ${quoted(binding[key])}`,
  )
  const owns = takesPlatformEvent && !isNew && changed.length === 0
  if (takenFrom > 0n || owns) changed.push('the platform event, taken from another integration')
  const rebound = rebind && changed.length > 0 ? changed.join(', ') : null
  return { platformRevision: String(base), formerEvent, rebound }
}

const quoted = (text = '') => `"${text}"`

/**
 * Checks that an integration has the same source and platform as in its earlier runs. Also checks that no
 * other integration writes to the platform event.
 *
 * @param rebind true accepts a changed source or platform. If the integration takes over a platform event,
 *   the function marks the integration's runs in progress as failed
 * @returns `takesPlatformEvent`: true if the integration did not own the platform event until now
 */
export async function checkBinding(
  db: Db,
  integrationId: string,
  binding: Binding,
  rebind: boolean,
  now: string,
): Promise<{ readonly takesPlatformEvent: boolean }> {
  const bindable = await requireBindable(db, integrationId, binding, rebind)
  if (bindable.takesPlatformEvent)
    await giveUpRuns(
      db,
      integrationId,
      'given up, because the integration is now bound to another platform event',
      now,
    )
  return bindable
}

/**
 * Checks whether an integration may use a source and platform, and changes nothing.
 *
 * @returns the current binding; `takesPlatformEvent` is true if the integration did not own the platform
 *   event until now
 * @throws OtherBindingError
 */
export async function requireBindable(db: Db, integrationId: string, binding: Binding, rebind: boolean) {
  const known = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .selectAll()
    .executeTakeFirst()
  const keys = Object.keys(binding) as (keyof Binding)[]
  const others = known === undefined ? [] : keys.filter((key) => known[key] !== binding[key])
  const isOtherPlatform = others.some((key) => key.startsWith('platform'))
  const takesPlatformEvent = known === undefined || isOtherPlatform || !known.owns_platform_event
  const isOtherSource = others.some((key) => key.startsWith('source'))
  const bindable = { takesPlatformEvent, isNew: known === undefined, isOtherSource, known, others }
  if (rebind) return bindable
  const [other] = others
  if (known !== undefined && other !== undefined) {
    throw new OtherBindingError(
      integrationId,
      `integration ${integrationId} was bound to ${CONFIG_KEYS[other]} "${known[other]}", and the configuration now has "${binding[other]}"`,
      `if that is intended, run \`event-sync run ${integrationId} --rebind\` once; otherwise give the integration another id`,
    )
  }
  if (!takesPlatformEvent) return bindable
  const rivals = await findRivals(db, integrationId, binding)
  if (known === undefined && rivals.length === 0) return bindable
  const who = rivals.length === 0 ? 'another integration' : rivals.join(', ')
  throw isTaken(integrationId, binding, who)
}

/** Returns the other integrations that write, or have written, to the platform event of a binding. */
export async function findRivals(
  db: Db,
  integrationId: string,
  binding: Binding,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '<>', integrationId)
    .where('platform_url', '<>', '')
    .where(({ and }) => and(platformOf(binding)))
    .orderBy('integration_id')
    .select('integration_id')
    .execute()
  return rows.map(({ integration_id }) => integration_id)
}

/** Returns the source event to which an integration is bound; null if it is not bound. */
export async function findSourceEvent(db: Db, integrationId: string): Promise<SourceEvent | null> {
  const bound = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select(['source', 'source_place', 'source_event_id'])
    .executeTakeFirst()
  return bound ?? null
}

/** Returns the integrations that are bound to a source event. */
export async function findIntegrationsReading(db: Db, event: SourceEvent): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.integrations')
    .where(({ and }) => and({ ...event }))
    .orderBy('integration_id')
    .select('integration_id')
    .execute()
  return rows.map(({ integration_id }) => integration_id)
}

function platformOf({ platform, platform_url, platform_event_id }: Binding) {
  return { platform, platform_url, platform_event_id }
}

/** @param who names of the integrations that write, or earlier wrote, to the platform event */
function isTaken(id: string, binding: Binding, who: string, options?: ErrorOptions): OtherBindingError {
  const { platform_url, platform_event_id } = binding
  return new OtherBindingError(
    id,
    `integration ${id} may not write to event "${platform_event_id}" of ${platform_url}: ${who} already wrote there, and each would overwrite the other`,
    `give ${id} its own platform event, or run \`event-sync run ${id} --rebind\` to make it the only one that writes there; the other integration is then refused`,
    options,
  )
}

/** Finds the integrations whose source event and platform event are exactly those of the binding. */
export async function findSameBinding(db: Db, binding: Binding): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('sync.integrations')
    .where(({ and }) => and({ ...binding }))
    .orderBy('integration_id')
    .select('integration_id')
    .execute()
  return rows.map(({ integration_id }) => integration_id)
}

/** Finds the source and platform to which some integrations are bound. One query for all. */
export function findBindings(db: Db, integrationIds: readonly string[]) {
  return db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', sql<string>`any(${[...integrationIds]}::text[])`)
    .selectAll()
    .execute()
}
