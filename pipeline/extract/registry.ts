import type { Content } from '../../sql/tables.ts'
import { sourceTypeA } from './source-a/index.ts'
import { sourceTypeB } from './source-b/index.ts'

/** Every source that can be synced from, by its `type` in event-sync.yaml. */
export const SOURCES = {
  a: sourceTypeA,
  b: sourceTypeB,
}

/** What the records of each source become. */
export const TRANSFORMS = Object.values(SOURCES).map(({ transform }) => transform)

/** Resource of the records of each content that a source of this type can serve. */
export function resourcesOf(type: keyof typeof SOURCES): ReadonlyMap<Content, string> {
  return new Map(SOURCES[type].transform.contents.map(({ content, resource }) => [content, resource]))
}
