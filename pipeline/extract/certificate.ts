import type { Incoming, IncomingName, IncomingTotals } from '../../loaders/staging/incoming.ts'
import type { EndProof, Resource } from './source.ts'

/** What was read of a resource, and whether it is proved to be all of it. */
export interface Reading {
  readonly resource: Resource
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  readonly certified: boolean
  /** Answers that the records were read from. */
  readonly requests: number
  /** Requests that were sent, those included that failed or whose answers were given up. */
  readonly attempts: number
  readonly declared: number | null
  readonly endProof: EndProof | 'none'
  /** Why it is not certified; empty where it is. */
  readonly detail: string
}

/** Where the records of a resource go; `Incoming` is one. */
export type RecordSink = Pick<Incoming, 'add' | 'totals' | 'rewind'>

/** An answer that counts: what a certificate can be checked against. */
export interface ReadRequest {
  readonly url: string
  readonly status: number
  /** Decompressed. */
  readonly bytes: number
  /** Of these bytes, in hex. */
  readonly sha256: string
  /** New elements. */
  readonly elements: number
  readonly answeredAt: string
}
