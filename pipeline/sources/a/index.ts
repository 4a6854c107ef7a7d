import { transformA } from '../../../transforms/source-a/index.ts'
import type { SourceType } from '../contract/source-type.ts'
import { findingsOfA } from './check.ts'
import { shapeA } from './config.ts'
import { sourceA } from './source.ts'

/** Source A: an event-management system, read as an anonymous reader. */
export const sourceTypeA: SourceType<typeof shapeA> = {
  name: 'a',
  title: 'Source A',
  shape: shapeA,
  transform: transformA,
  secrets: [],
  connect: sourceA,
  distrust: async () => null,
  tally: () => undefined,
  findings: findingsOfA,
}
