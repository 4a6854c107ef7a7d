import type { Content } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { sourceTypeA } from './a/index.ts'
import { sourceTypeB } from './b/index.ts'
import { type AnySourceType, OUTSIDE } from './contract/source-type.ts'

/** The sources of this package by their `type` in event-sync.yaml. */
export const SOURCES = {
  a: sourceTypeA,
  b: sourceTypeB,
}

/**
 * Returns the contents that a source can serve. Each content has the name of the resource with its records.
 */
export function resourcesOf({ contents }: AnyTransform): ReadonlyMap<Content, string> {
  return new Map(contents.map(({ content, resource }) => [content, resource]))
}

/** The value of `source` in a checked configuration. */
interface ConfiguredSource {
  readonly type: string
  readonly [OUTSIDE]?: AnySourceType
}

/**
 * Returns the source type of an integration. The caller must use it only with the configuration of the same
 * integration.
 */
export function sourceTypeOf(source: ConfiguredSource): AnySourceType {
  const own: Readonly<Record<string, unknown>> = SOURCES
  const type = source[OUTSIDE] ?? own[source.type]
  if (type === undefined) throw new Error(`there is no source "${source.type}"`)
  // TypeScript cannot know that this source type accepts the keys of this configuration.
  return type as AnySourceType
}

/** The part of a configuration that names sources. */
interface SourcesConfig {
  readonly integrations: readonly { readonly source: ConfiguredSource }[]
}

/**
 * Returns the transforms (the rules that make items) of two groups of sources: the sources of this package,
 * and the sources that a configuration names.
 */
export function transformsOf(config: SourcesConfig): readonly AnyTransform[] {
  return [...Object.values(SOURCES), ...outsideSourcesOf(config)].map(({ transform }) => transform)
}

/** Returns each source of a configuration that is not part of this package, once. */
export function outsideSourcesOf(config: SourcesConfig): readonly AnySourceType[] {
  return [...new Set(config.integrations.flatMap(({ source }) => source[OUTSIDE] ?? []))]
}
