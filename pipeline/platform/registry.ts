import type { TypedShape } from '../config/forms.ts'
import type { IntegrationConfig } from '../config.ts'
import { httpType } from './http.ts'
import { jsonlType } from './jsonl.ts'
import type { TargetType } from './target-type.ts'

/** Every target that can be written to, by its `type` in event-sync.yaml. */
export const TARGETS = {
  jsonl: jsonlType,
  http: httpType,
}

/** The target of an integration, to be given the configuration of that integration only. */
export function targetTypeOf({ type }: IntegrationConfig['platform']): TargetType<TypedShape> {
  // Each takes the keys of its own: the types cannot know that these go together.
  return TARGETS[type] as unknown as TargetType<TypedShape>
}

/** Types of targets whose operations are a file of the run's pack. */
export const TYPES_IN_PACK: ReadonlySet<string> = new Set(
  Object.entries(TARGETS).flatMap(([type, { writesToPack }]) => (writesToPack ? [type] : [])),
)

/** The platform event that an integration writes to. */
export interface PlatformIdentity {
  readonly type: string
  readonly url: string
  readonly eventId: string
  /** All of it in one text, for the plan hash. */
  readonly identity: string
}

/** Names the platform event of an integration. */
export function platformOf({ platform }: IntegrationConfig): PlatformIdentity {
  const { type } = platform
  const { url, eventId } = targetTypeOf(platform).eventOf(platform)
  return { type, url, eventId, identity: url === '' ? type : JSON.stringify([type, url, eventId]) }
}
