import type { Content } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { sourceTypeA } from './a/index.ts'
import { sourceTypeB } from './b/index.ts'
import { type AnySourceType, OUTSIDE } from './contract/source-type.ts'

/** Every source that can be synced from, by its `type` in event-sync.yaml. */
export const SOURCES = {
  a: sourceTypeA,
  b: sourceTypeB,
}

/** Resource of the records of each content that a source can serve. */
export function resourcesOf({ contents }: AnyTransform): ReadonlyMap<Content, string> {
  return new Map(contents.map(({ content, resource }) => [content, resource]))
}

/** `source` of a checked configuration. */
interface ConfiguredSource {
  readonly type: string
  readonly [OUTSIDE]?: AnySourceType
}

/** The source of an integration; give it the configuration of that integration only. */
export function sourceTypeOf(source: ConfiguredSource): AnySourceType {
  const own: Readonly<Record<string, unknown>> = SOURCES
  const type = source[OUTSIDE] ?? own[source.type]
  if (type === undefined) throw new Error(`there is no source "${source.type}"`)
  // The types cannot know that this type takes these keys.
  return type as AnySourceType
}

/** The part of a configuration that says which sources there are. */
interface SourcesConfig {
  readonly integrations: readonly { readonly source: ConfiguredSource }[]
}

/** Transforms of the sources of this package, and of those that a configuration names. */
export function transformsOf(config: SourcesConfig): readonly AnyTransform[] {
  return [...Object.values(SOURCES), ...outsideSourcesOf(config)].map(({ transform }) => transform)
}

/** Sources of a configuration that do not come with this package, each once. */
export function outsideSourcesOf(config: SourcesConfig): readonly AnySourceType[] {
  return [...new Set(config.integrations.flatMap(({ source }) => source[OUTSIDE] ?? []))]
}
