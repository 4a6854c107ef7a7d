import type { Records, Served } from '../../pipeline/library/contract.ts'
import type { JsonObject } from '../../transforms/rules/values.ts'

/** Describes what the contract of sources is tried with. */
export interface SourceExample {
  /** `source` of event-sync.yaml, but for its address; secrets are `env:SECRET`. */
  readonly source: Readonly<Record<string, unknown>>
  /** Values of the variables that it names. */
  readonly env?: Readonly<Record<string, string>>
  /** One record of each resource, with a value in every field that the product reads. Session S1, person U1. */
  readonly full: Readonly<Record<string, JsonObject>>
  /** Paths, with those that are in for them where they are missing. */
  readonly standIns?: Readonly<Record<string, string>>
  serve(records: Records): Promise<Served>
}

/** The record of each resource of an example, but where there are others to be served. */
export function recordsOf({ full }: SourceExample, others: Records = {}): Records {
  const one = Object.entries(full).map(([resource, record]) => [resource, [record]])
  return { ...Object.fromEntries(one), ...others }
}
