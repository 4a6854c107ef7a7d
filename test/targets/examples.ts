import type { TARGETS } from '../../pipeline/targets/registry.ts'
import type { TargetExample } from './example.ts'
import { exampleHttp } from './http.ts'
import { exampleJsonl } from './jsonl.ts'

/** An example of each target. */
export const EXAMPLES: Readonly<Record<keyof typeof TARGETS, TargetExample>> = {
  jsonl: exampleJsonl,
  http: exampleHttp,
}
