import type { SOURCES } from '../../pipeline/sources/registry.ts'
import { exampleA } from './a.ts'
import { exampleB } from './b.ts'
import type { SourceExample } from './example.ts'

/** The example of each registered source, by the name of the source. */
export const EXAMPLES: Readonly<Record<keyof typeof SOURCES, SourceExample>> = {
  a: exampleA,
  b: exampleB,
}
