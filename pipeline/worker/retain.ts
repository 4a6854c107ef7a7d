import type { Retention } from '../config/config.ts'
import type { Context } from '../context/run-context.ts'
import { applyRetention, isNothing } from '../people/retention.ts'
import type { Environment } from '../runtime/environment.ts'

/** Time in which a worker looks at each integration once. */
const PASS_MS = 24 * 60 * 60_000
/** Wait after the start of a worker. */
const FIRST_MS = 60_000
/** Wait before the next part of an integration of which more is to delete. */
const NEXT_PART_MS = 5_000
/** Longest wait before the next integration, if there are few. */
const MOST_MS = 60 * 60_000
/** Runs or packs that are deleted at once, so that a run of the integration need not wait long. */
const MOST_RUNS = 100

export interface RetainOptions {
  /** Returns the ids of the integrations of this worker. */
  readonly ids: () => readonly string[]
  /** Deletes a part of what is too old of an integration. @returns true if there may be more */
  readonly deletePart: (integrationId: string) => Promise<boolean>
  /** Frees the space of deleted rows. */
  readonly scrub: () => Promise<void>
  readonly onTrouble: (what: string, error: unknown) => void
  readonly environment: Pick<Environment, 'sleep' | 'random'>
  readonly stop: AbortSignal
}

/**
 * Applies the retention to one integration after the other, a part at a time, until the worker is told to stop.
 * Each integration has its turn once a day. After the last one, the space of all deleted rows is freed.
 */
export async function retain(options: RetainOptions): Promise<void> {
  const { ids, deletePart, scrub, onTrouble, environment, stop } = options
  // The first pass begins anywhere, so that restarts do not always favour the same integrations.
  let place = Math.floor(environment.random() * ids().length)
  let isDirty = false
  let waitMs = FIRST_MS

  async function attempt(what: string, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work()
    } catch (error) {
      onTrouble(what, error)
      return false
    }
  }

  for (;;) {
    await environment.sleep(waitMs, stop)
    if (stop.aborted) return
    const all = ids()
    const id = all[place]
    const isMore = id !== undefined && (await attempt(`apply the retention to ${id}`, () => deletePart(id)))
    isDirty ||= isMore
    waitMs = isMore ? NEXT_PART_MS : Math.min(MOST_MS, PASS_MS / Math.max(1, all.length))
    if (isMore) continue
    place = id === undefined ? 0 : place + 1
    if (place < all.length) continue
    place = 0
    if (!isDirty) continue
    isDirty = false
    await attempt('free the space of purged rows', async () => {
      await scrub()
      return false
    })
  }
}

/** Deletes a part of what is older than the retention. @returns true if there may be more */
export async function deletePart(
  context: Context,
  integrationId: string,
  retention: Retention | undefined,
): Promise<boolean> {
  if (retention === undefined) return false
  const purged = await applyRetention(context, integrationId, { retention, most: MOST_RUNS })
  return purged !== null && !isNothing(purged)
}
