import { httpType } from './http.ts'
import { jsonlType } from './jsonl.ts'

/** Every target that can be written to, by its `type` in event-sync.yaml. */
export const TARGETS = {
  jsonl: jsonlType,
  http: httpType,
}

/** Types of targets whose operations are a file of the run's pack. */
export const TYPES_IN_PACK: ReadonlySet<string> = new Set(
  Object.entries(TARGETS).flatMap(([type, { writesToPack }]) => (writesToPack ? [type] : [])),
)
