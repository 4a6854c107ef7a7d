import type { Kysely } from 'kysely'
import type { Tables } from '../sql/tables.ts'

/** Where an integration reads from and writes to; bound at its first run. */
export interface Binding {
  readonly source: string
  readonly source_url: string
  readonly source_event_id: string
  readonly platform: string
  readonly platform_url: string
  readonly platform_event_id: string
}

/** The integration's source or platform is not the one of its earlier runs. */
export class OtherBindingError extends Error {
  override readonly name = 'OtherBindingError'
}

/**
 * Binds an integration to its source and platform; of another platform event than before, nothing is known to be
 * there. Several statements: call it in a transaction.
 *
 * @param timeZone of the source, for readers; it may change from run to run
 * @param rebind accepts others from now on
 * @returns the state of the platform that a plan starts from
 * @throws OtherBindingError
 * Source: design 4, "State and time".
 */
export async function bindIntegration(
  transaction: Kysely<Tables>,
  integrationId: string,
  binding: Binding,
  timeZone: string | null,
  rebind: boolean,
): Promise<{ readonly base: string }> {
  const others = await findOthers(transaction, integrationId, binding)
  requireSame(others, integrationId, binding, rebind)
  const isOtherPlatform = others.some(({ key }) => key.startsWith('platform'))
  if (isOtherPlatform) {
    for (const table of ['sync.platform_items', 'sync.passwords'] as const) {
      await transaction
        .deleteFrom(table as 'sync.passwords')
        .where('integration_id', '=', integrationId)
        .execute()
    }
  }
  const { base } = await transaction
    .insertInto('sync.integrations')
    .values({ integration_id: integrationId, ...binding, time_zone: timeZone, base: 0 })
    .onConflict((conflict) =>
      conflict.column('integration_id').doUpdateSet((eb) => ({
        ...binding,
        time_zone: timeZone,
        ...(isOtherPlatform
          ? { base: eb('sync.integrations.base', '+', eb.lit(1)), contents_read_back: [] }
          : {}),
      })),
    )
    .returning('base')
    .executeTakeFirstOrThrow()
  return { base: String(base) }
}

/**
 * Checks that an integration's source and platform are those of its earlier runs.
 *
 * @param rebind accepts others; what was being sent to another platform event is given up
 * @throws OtherBindingError
 */
export async function checkBinding(
  db: Kysely<Tables>,
  integrationId: string,
  binding: Binding,
  rebind: boolean,
  now: string,
): Promise<void> {
  const others = await findOthers(db, integrationId, binding)
  requireSame(others, integrationId, binding, rebind)
  if (!others.some(({ key }) => key.startsWith('platform'))) return
  await db
    .updateTable('sync.runs')
    .set({
      status: 'failed',
      finished_at: now,
      error: 'given up, since the integration is bound to another platform',
    })
    .where('integration_id', '=', integrationId)
    .where('status', 'in', ['applying', 'applied'])
    .execute()
}

/** What of a binding is not as it was; nothing before the first run. */
async function findOthers(db: Kysely<Tables>, integrationId: string, binding: Binding) {
  const known = await db
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select(['source', 'source_url', 'source_event_id', 'platform', 'platform_url', 'platform_event_id'])
    .executeTakeFirst()
  if (known === undefined) return []
  return (Object.keys(binding) as (keyof Binding)[])
    .filter((key) => known[key] !== binding[key])
    .map((key) => ({ key, was: known[key] }))
}

function requireSame(
  others: readonly { readonly key: keyof Binding; readonly was: string }[],
  integrationId: string,
  binding: Binding,
  rebind: boolean,
): void {
  const [other] = others
  if (other === undefined || rebind) return
  throw new OtherBindingError(
    `integration ${integrationId} was bound to ${other.key} "${other.was}", now it is "${binding[other.key]}"; give it another id, or run once with --rebind if this is meant`,
  )
}
