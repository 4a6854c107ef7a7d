import {
  largeEvents,
  type ServedEvent,
  type SourceType,
  type Story,
  serveEvent,
  smallEvents,
} from '../../harness/sample-events.ts'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'

export const SOURCE_TYPES: readonly SourceType[] = ['a', 'b']

/**
 * Settings for the pages of a source: small, so that a resource has several pages, and slow, so that kills
 * happen between pages.
 */
const PAGES = { pageCap: 40, latencyMs: 4, creditsPerTenMinutes: Number.POSITIVE_INFINITY }
const SMALL = smallEvents()

/** A source on loopback that counts the requests for each of its resources. */
export interface CountingSource extends ServedEvent {
  /** Returns how many requests the source has received so far, by resource. */
  asked(): ReadonlyMap<string, number>
}

/** @param size the size of the event; use `small` if each item is checked individually */
export async function startSource(type: SourceType, size: 'whole' | 'small'): Promise<CountingSource> {
  const served = await serveEvent(type, size === 'whole' ? largeEvents() : SMALL, PAGES)
  return { ...served, asked: () => countResources(served.requests) }
}

/**
 * Returns faults by which the platform always rejects some items of the small event. A batch with a rejected
 * item is refused and sent again operation by operation. The items are two people in the first sync, to whom
 * no other record refers, and a removal in the second sync.
 */
export function refusedItems(type: SourceType): Readonly<Record<Story, readonly FaultOrder[]>> {
  const { first, second } = SMALL
  const people = type === 'a' ? first.a.Users.map(({ Id }) => Id) : first.b.registrants.map(({ id }) => id)
  const gone =
    type === 'a'
      ? second.a.Sessions.find(({ Enabled }) => Enabled === false)?.Id
      : second.b.registrants.find(({ cancelled_at }) => cancelled_at !== null)?.id
  const refuse = (uniqueId: unknown): FaultOrder => ({
    fault: 'refuseBatch',
    uniqueId: String(uniqueId),
    count: 'always',
  })
  return {
    first: [
      refuse(people.at(-2)),
      { fault: 'failOperation', uniqueId: String(people.at(-1)), retryable: true, count: 'always' },
    ],
    second: [refuse(gone)],
  }
}

/**
 * Counts requests by the resource in their path, for example `/api/v1/4242/TimeSlots?…` or
 * `/api/v1/reg-types.json?…`. The resources have the product's names.
 */
function countResources(requests: readonly { readonly path: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of requests) {
    const last = path.split('?')[0]?.split('/').at(-1)?.replace('.json', '') ?? ''
    const resource = last
      .replace(/(?<=[a-z])[A-Z]/g, '_$&')
      .replaceAll('-', '_')
      .toLowerCase()
    if (resource !== 'token') counts.set(resource, (counts.get(resource) ?? 0) + 1)
  }
  return counts
}
