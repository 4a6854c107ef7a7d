import { HttpFault, ReadError } from '../../http/read-error.ts'
import { SourceMovedError, UnprovedError } from './source.ts'

/**
 * A read that failed, by what it says of the set-up.
 *
 * `unreachable`: nothing answers. `unavailable`: it answers that it cannot now. `refused`: 401, 403. `not found`:
 * 400, 404, 422. `elsewhere`: a redirect. `no data`: 200 with something else than records. `not proved`: records, and
 * nothing that proves them to be all. `no secret`: nothing was asked.
 */
export interface ReadFault {
  readonly kind:
    | 'unreachable'
    | 'unavailable'
    | 'refused'
    | 'not found'
    | 'elsewhere'
    | 'no data'
    | 'not proved'
    | 'no secret'
  readonly status: number | null
  readonly message: string
  readonly todo: string
}

/** Faults after which asking for the next resource would only take time. */
export const ENDS_ALL: readonly ReadFault['kind'][] = ['unreachable', 'unavailable', 'elsewhere']

/** @throws the error itself, where it is no failed read */
export function toReadFault(error: unknown): ReadFault {
  if (error instanceof SourceMovedError) {
    const todo = 'check again when nobody works in the source account'
    return { kind: 'no data', status: null, message: error.message, todo }
  }
  if (!(error instanceof ReadError || error instanceof UnprovedError)) throw error
  // Hints about a status are for runs; here each has its own, with the place in the source account.
  const first = origin(error)
  const fault = { status: null, message: first.what }
  if (first instanceof HttpFault) {
    const { status, hint } = first
    if (status !== null) return { ...fault, ...byStatus(status), status }
    return { ...fault, kind: 'unreachable', todo: hint ?? CONTACT }
  }
  const kind = first instanceof UnprovedError ? 'not proved' : 'no data'
  return { ...fault, kind, todo: first.hint ?? NO_DATA }
}

/** The first fault under "waiting longer would exceed …", which is about the retry budget and not about the set-up. */
function origin(error: ReadError | UnprovedError): ReadError | UnprovedError {
  return error.cause instanceof ReadError ? origin(error.cause) : error
}

const NO_DATA = 'check that source.url is the address of the API and no web page, then version and event id'
const LATER = 'check again later; if it stays so, ask the people who run the source'

function byStatus(status: number): Pick<ReadFault, 'kind' | 'todo'> {
  if (status === 401 || status === 403) return { kind: 'refused', todo: 'allow it in the source account' }
  if (status === 429) return { kind: 'unavailable', todo: 'too many requests: check again in ten minutes' }
  if (status === 408 || status >= 500) return { kind: 'unavailable', todo: LATER }
  if (status >= 300 && status < 400) {
    return { kind: 'elsewhere', todo: 'set source.url to the address that the redirect leads to' }
  }
  return { kind: 'not found', todo: 'check source.url and source.eventId' }
}

const CONTACT = 'check source.url, and whether this machine may reach it (firewall, proxy)'
