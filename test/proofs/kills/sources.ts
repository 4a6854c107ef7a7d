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

/** Pages small enough that a resource takes several, and slow enough that kills fall between them. */
const PAGES = { pageCap: 40, latencyMs: 4, creditsPerTenMinutes: Number.POSITIVE_INFINITY }
const SMALL = smallEvents()

/** A source on loopback that counts the requests for each of its resources. */
export interface CountingSource extends ServedEvent {
  /** Requests so far, by resource. */
  asked(): ReadonlyMap<string, number>
}

/** @param size of the event; use `small` if each item needs its own check */
export async function startSource(type: SourceType, size: 'whole' | 'small'): Promise<CountingSource> {
  const served = await serveEvent(type, size === 'whole' ? largeEvents() : SMALL, PAGES)
  return { ...served, asked: () => countResources(served.requests) }
}

/**
 * Returns items of the small event that the platform always rejects, so that batches are refused and sent
 * again operation by operation: two people in the first sync, to whom no other record refers, and a removal
 * in the second.
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
 * Counts paths such as `/api/v1/4242/TimeSlots?…` and `/api/v1/reg-types.json?…` by the product's names of
 * the resources.
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
