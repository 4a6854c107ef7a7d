import { transformA } from '../source-a/index.ts'
import { transformB } from '../source-b/index.ts'

/** What the records of each source are and become, by its `type` in event-sync.yaml. */
export const TRANSFORMS = { a: transformA, b: transformB } as const
