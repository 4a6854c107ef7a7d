import type { Content, CustomField } from '../../sql/tables.ts'
import { stagedName } from '../../transforms/declare/custom-fields.ts'
import { EXACT_KEYS, type Keys } from '../../transforms/declare/resource.ts'
import { nearest } from '../../transforms/texts/nearest.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { customOf } from '../context/run-context.ts'
import { type FillCounts, type NamedPaths, objectsOn } from '../sources/contract/fill-counts.ts'
import {
  countsOf,
  notCheckable,
  nounOf,
  ok,
  type Reads,
  type Rule,
  type RuleResult,
  whyNotRead,
} from '../sources/contract/rule-result.ts'
import type { SourceResource } from '../sources/contract/source.ts'
import { resourcesOf, sourceTypeOf } from '../sources/registry.ts'

/**
 * Returns the paths of the custom fields that an integration reads from a resource; null if it has no such
 * fields.
 */
export function namedPathsIn(
  integration: IntegrationConfig,
  { name, contents }: SourceResource,
): NamedPaths | null {
  const custom = customOf(integration)
  const paths = contents.flatMap((content) => Object.values(custom[content] ?? {}).map(({ from }) => from))
  return paths.length === 0 ? null : { paths, keys: keysIn(integration, name) }
}

function keysIn({ source }: IntegrationConfig, resource: string): Keys {
  return sourceTypeOf(source).transform.resources.find(({ name }) => name === resource)?.keys ?? EXACT_KEYS
}

/**
 * Reports, for each custom field, how many records have a value. If no record has a value, the report
 * suggests a key that the user may have meant.
 */
export function judgeCustom(integration: IntegrationConfig, reads: Reads): readonly RuleResult[] {
  const resourceOf = resourcesOf(sourceTypeOf(integration.source).transform)
  return Object.entries(customOf(integration)).flatMap(([name, fields]) => {
    const content = name as Content
    const resource = resourceOf.get(content) ?? content
    return Object.values(fields).map((field) => judge(integration, { resource, content, ...field }, reads))
  })
}

interface ConfiguredField extends CustomField {
  readonly content: Content
  readonly resource: string
}

function judge(integration: IntegrationConfig, field: ConfiguredField, reads: Reads): RuleResult {
  const { resource, content, name, from, as } = field
  const evidence = { reads, cause: null }
  const key = `fields.${content}.${name}`
  const noun = nounOf(resource)
  const rule: Rule = { id: key, sentence: `${from} of ${noun} has values`, clause: null }
  const counts = countsOf(evidence, resource)
  if (counts === null) return notCheckable(rule, whyNotRead(evidence, resource))
  const usable = counts.records - counts.faults
  if (usable === 0) return notCheckable(rule, `no ${noun} came that could be looked at`)
  const staged = stagedName(content, name)
  const [filled, unusable] = [counts.filled(staged), counts.unusable(staged)]
  const bad = unusable > 0 ? `; unusable in ${unusable}` : ''
  if (filled > 0) return ok(rule, `${from} has a value in ${filled} of ${usable} ${noun}${bad}`)
  const missing = findMissing(from, counts.keys, keysIn(integration, resource).keyOf)
  // If the named key has only unusable values and there is no similar key, this text helps more than the text
  // about a missing key.
  if (unusable > 0 && (missing === null || missing.meant === null)) {
    const seen = `${from} comes in ${unusable} of ${usable} ${noun}, but never as something that can be used; it is left out`
    const only = from.includes('.') ? ', and dots lead into objects only' : ''
    return notCheckable(rule, seen, `see what ${from} holds; ${key} reads it as ${as}${only}`)
  }
  const todo = `see at the source where it is, and name its key in ${key}`
  if (missing === null) {
    const seen = `${from} is empty for all ${usable} ${noun}: nobody filled it, or this reader may not see it`
    return notCheckable(rule, seen, `where it should have values: ${todo}`)
  }
  const { meant } = missing
  const seen = missing.seen + bad
  if (meant !== null) return notCheckable(rule, seen, `name ${meant} in ${key}`)
  const { title, givesOnlyAskedKeys = false } = sourceTypeOf(integration.source)
  const isHidden = givesOnlyAskedKeys && missing.isOfRecord
  const why = `; ${title} gives only the keys that it is asked for, so another spelling cannot be seen`
  return notCheckable(rule, isHidden ? seen + why : seen, todo)
}

/**
 * Finds the first key in a path that no record has.
 *
 * @returns null if each key occurs in a record. `meant` is the path with the key that the user probably
 *   meant.
 */
function findMissing(path: string, keys: FillCounts['keys'], keyOf: Keys['keyOf']) {
  const parts = path.split('.')
  for (const [index, object] of objectsOn(path).entries()) {
    const [key, counts] = [parts[index] ?? '', keys.get(object)]
    // In all records, the parent of the key is null or missing.
    if (counts === undefined || counts.size === 0) return null
    if ([...counts.keys()].some((one) => keyOf(one) === keyOf(key))) continue
    const byCount = [...counts].toSorted(([, one], [, other]) => other - one).map(([one]) => one)
    const near = nearest(key, byCount.filter(isName))
    const at = (one: string) => `\`${object === '' ? '' : `${object}.`}${one}\``
    const seen = `${at(key)} is in no record`
    if (near === undefined) return { seen, meant: null, isOfRecord: index === 0 }
    const meant = `\`${parts.with(index, near).join('.')}\``
    return { seen: `${seen}; ${at(near)} is in ${counts.get(near)}`, meant, isOfRecord: index === 0 }
  }
  return null
}

/**
 * Returns true if a key can be part of a path and may be shown in messages. A key that is not a plain name
 * could be personal data.
 */
function isName(key: string): boolean {
  return /^[\p{L}_][^.@\p{C}]{0,60}$/u.test(key)
}
