import type { Records, Served } from '../../pipeline/library/contract.ts'
import type { JsonObject } from '../../transforms/rules/values.ts'

/** The example of a source, with records, for which the contract tests run. */
export interface SourceExample {
  /** The block `source` of event-sync.yaml without its address; secrets have the value `env:SECRET`. */
  readonly source: Readonly<Record<string, unknown>>
  /** Values of the environment variables to which the block refers. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * One record of each resource, with a value in every field that the product reads. The session has the id
   * S1, the person U1.
   */
  readonly full: Readonly<Record<string, JsonObject>>
  /** Paths within records, each with the path from which the value is read if the first path has no value. */
  readonly standIns?: Readonly<Record<string, string>>
  serve(records: Records): Promise<Served>
}

/**
 * Returns the records of an example by resource. The records in `others` replace the example's records of the
 * same resource.
 */
export function recordsOf({ full }: SourceExample, others: Records = {}): Records {
  const one = Object.entries(full).map(([resource, record]) => [resource, [record]])
  return { ...Object.fromEntries(one), ...others }
}
