import type { z } from 'zod'
import { isMapping, type Mapping } from '../settings/yaml.ts'

/** Schemas of the keys of a mapping. The schemas do not depend on each other. */
type Shape = Readonly<Record<string, z.ZodType>>

/** Keys of texts on which rules that compare keys depend. Integrations that are alike have the same. */
const KEYS_IN_RULES: ReadonlySet<string> = new Set(['type', 'handover'])

/**
 * Makes a function that checks only once what many integrations have in common. Two integrations are alike if
 * they differ only in texts of their own, of `source` and of `platform`, such as ids, addresses and references
 * to secrets. For an integration that is like an earlier one, only these texts are checked. In a configuration
 * with thousands of integrations, most are alike.
 *
 * The function returns undefined for an integration with a mistake, which the schema then reports.
 *
 * @param schema the keys of an integration, without rules that compare keys
 * @param shapeOf returns the shape of `source` or `platform` by its type; undefined if the type is unknown
 * @param meetsRules returns true if an integration breaks no rule that compares keys
 */
export function checkAlikeOnce<Integration extends Readonly<Record<'source' | 'platform', object>>>(
  schema: z.ZodType<Integration> & { readonly shape: Shape },
  shapeOf: (key: 'source' | 'platform', type: unknown) => Shape | undefined,
  meetsRules: (integration: Integration) => boolean,
): (value: unknown) => Integration | undefined {
  const checked = new Map<string, Integration>()
  const split = textSplitter()
  return (value) => {
    if (!isMapping(value) || !isMapping(value.source) || !isMapping(value.platform)) return undefined
    const own = split(value, schema.shape)
    const source = split(value.source, shapeOf('source', value.source.type))
    const platform = split(value.platform, shapeOf('platform', value.platform.type))
    if (own === undefined || source === undefined || platform === undefined) return undefined
    const common = JSON.stringify({ ...own.others, source: source.others, platform: platform.others })
    // JSON has null also for numbers that are not finite.
    if (common.includes('null')) return undefined
    const like = checked.get(common)
    if (like !== undefined)
      return {
        ...like,
        ...own.texts,
        source: { ...like.source, ...source.texts },
        platform: { ...like.platform, ...platform.texts },
      }
    const { data } = schema.safeParse(value)
    if (data === undefined || !meetsRules(data)) return undefined
    checked.set(common, data)
    return data
  }
}

/** A mapping, split into the checked values of its texts, and all others. */
interface Split {
  readonly texts: Mapping
  /** The mapping without its texts. Only those of `KEYS_IN_RULES` are kept. */
  readonly others: Mapping
}

/** Makes a function that splits a mapping. It returns undefined if a text has a mistake. */
function textSplitter(): (mapping: Mapping, shape: Shape | undefined) => Split | undefined {
  // Only the last text of each key is kept. An address or time zone is often the same in all integrations, and
  // most other texts are different in each.
  const last = new Map<z.ZodType, { readonly text: string; readonly data: unknown }>()
  const check = (schema: z.ZodType, text: string): unknown => {
    const known = last.get(schema)
    if (known?.text === text) return known.data
    const { data } = schema.safeParse(text)
    last.set(schema, { text, data })
    return data
  }
  return (mapping, shape = {}) => {
    const texts: Record<string, unknown> = {}
    const others: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(mapping)) {
      if (typeof value !== 'string' || KEYS_IN_RULES.has(key)) {
        others[key] = value
        continue
      }
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
      const text = schema === undefined ? undefined : check(schema, value)
      if (text === undefined) return undefined
      texts[key] = text
      others[key] = ''
    }
    return { texts, others }
  }
}
