import type { Progress } from './told.ts'

/** Listens to some of what happens. */
export type Listener = Partial<Progress>

/**
 * Tells several. What goes wrong with a listener is told to the first and changes nothing about the run.
 *
 * @param first is trusted: what it throws, the run throws
 */
export function tellAll(first: Progress, others: readonly Listener[]): Progress {
  function tell(integration: string, how: (listener: Listener) => void): void {
    how(first)
    for (const other of others) {
      try {
        how(other)
      } catch (error) {
        first.untold(integration, 'a listener', error instanceof Error ? error.message : String(error))
      }
    }
  }
  return {
    opened: (id, run) => tell(id, (one) => one.opened?.(id, run)),
    step: (id, step) => tell(id, (one) => one.step?.(id, step)),
    stepped: (id, step) => tell(id, (one) => one.stepped?.(id, step)),
    resource: (id, resource) => tell(id, (one) => one.resource?.(id, resource)),
    read: (id, resource, records, bytes) => tell(id, (one) => one.read?.(id, resource, records, bytes)),
    certified: (id, certificate) => tell(id, (one) => one.certified?.(id, certificate)),
    request: (id, exchange) => tell(id, (one) => one.request?.(id, exchange)),
    wait: (id, wait) => tell(id, (one) => one.wait?.(id, wait)),
    resume: (id, resource, records, savedAt) =>
      tell(id, (one) => one.resume?.(id, resource, records, savedAt)),
    planned: (id, plan) => tell(id, (one) => one.planned?.(id, plan)),
    batch: (id, batch) => tell(id, (one) => one.batch?.(id, batch)),
    answered: (id, batch) => tell(id, (one) => one.answered?.(id, batch)),
    rejected: (id, operation) => tell(id, (one) => one.rejected?.(id, operation)),
    at: (id, point) => tell(id, (one) => one.at?.(id, point)),
    ended: (id, run) => tell(id, (one) => one.ended?.(id, run)),
    untold: (id, whom, cause) => first.untold(id, whom, cause),
    done: (id) => tell(id, (one) => one.done?.(id)),
    async settled(id) {
      await Promise.all([first, ...others].map((one) => one.settled?.(id)))
    },
  }
}
