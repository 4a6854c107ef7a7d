import type { Records, Served } from '../../pipeline/library/contract.ts'
import type { JsonObject } from '../../transforms/rules/values.ts'

/** A source and its records, on which the contract tests run. */
export interface SourceExample {
  /** `source` of event-sync.yaml without its address; secrets are `env:SECRET`. */
  readonly source: Readonly<Record<string, unknown>>
  /** Values of the environment variables that it names. */
  readonly env?: Readonly<Record<string, string>>
  /** One record of each resource, with a value in every field that the product reads. Session S1, person U1. */
  readonly full: Readonly<Record<string, JsonObject>>
  /** Paths, each with the path that replaces it if it is missing. */
  readonly standIns?: Readonly<Record<string, string>>
  serve(records: Records): Promise<Served>
}

/** Returns the record of each resource of an example; `others` replace the records of their resources. */
export function recordsOf({ full }: SourceExample, others: Records = {}): Records {
  const one = Object.entries(full).map(([resource, record]) => [resource, [record]])
  return { ...Object.fromEntries(one), ...others }
}
