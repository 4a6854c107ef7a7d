import { expect } from 'vitest'
import type { Explanation } from '../../../pipeline/schemas/items.ts'
import type { Content } from '../../../sql/tables.ts'
import type { ServedIntegration } from '../guarded-integration.ts'

/**
 * Returns the reason why an item is excluded, its sentence, and the values that decided. Checks the run too.
 */
export async function whyExcluded(
  story: ServedIntegration,
  run: string | null,
  content: Content,
  id: string,
) {
  const { standing, why, platform, fields } = await story.explain(content, id)
  expect([standing, platform.has, platform.asDesired, fields]).toEqual(['excluded', false, true, []])
  expect(why?.since?.run).toBe(run)
  if (why === null) throw new Error(`${content} ${id} is ${standing}`)
  return [why.reason, why.text, ...placesOf(why.values)]
}

/** Explains each item that a list names, and returns the explanations in the same form as the list. */
export async function listExcluded(
  story: ServedIntegration,
  run: string | null,
  like: string,
): Promise<string> {
  const listed = [...like.matchAll(/^(\w+)\/(.+): \w/gm)].map(async ([, content, id]) => {
    const [reason, ...lines] = await whyExcluded(story, run, content as Content, String(id))
    return [`${content}/${id}: ${reason}`, ...lines.map((line) => `  ${line}`), ''].join('\n')
  })
  return (await Promise.all(listed)).join('')
}

/** Returns one field of an explanation. */
export function fieldOf({ fields }: Explanation, name: string) {
  const field = fields.find((one) => one.field === name)
  if (field === undefined) throw new Error(`no field ${name} is explained`)
  return field
}

/**
 * Returns the origins of a value as `users u1 $.FirstName: "Ada"`. The origin of a missing value ends in
 * `absent`, `blank` or another state.
 */
export function placesOf(origins: Explanation['fields'][number]['from']): readonly string[] {
  return origins.map(({ resource, sourceId, path, there, value }) => {
    return `${resource} ${sourceId} ${path}: ${there === 'value' ? JSON.stringify(value) : there}`
  })
}
