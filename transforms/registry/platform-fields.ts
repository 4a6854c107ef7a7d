import type { Content, Fields } from '../../sql/tables.ts'
import { transformA } from '../source-a/index.ts'
import { transformB } from '../source-b/index.ts'

/** What the records of each source are and become, by its `type` in event-sync.yaml. */
export const TRANSFORMS = { a: transformA, b: transformB } as const

/** A platform field, as the sources that fill it declare it. */
export interface PlatformField {
  readonly name: string
  readonly isRequired: boolean
  readonly isList: boolean
  readonly isTime: boolean
  /** What its values name; null where they name no items. */
  readonly refersTo: Content | null
  readonly sources: readonly string[]
}

/** What the sources declare of a content, in the order of the specification: a later one adds at the end. */
function declaredIn(content: Content): readonly PlatformField[] {
  const found = new Map<string, PlatformField>()
  for (const [type, { contents }] of Object.entries(TRANSFORMS)) {
    const fields = contents.find((one) => one.content === content)?.fields ?? {}
    for (const [name, { isMissing, isList, status, references }] of Object.entries(fields)) {
      found.set(name, {
        name,
        isRequired: isMissing !== undefined,
        isList,
        isTime: status !== undefined,
        refersTo: references?.content ?? null,
        sources: [...(found.get(name)?.sources ?? []), type],
      })
    }
  }
  return [...found.values()]
}

/** Platform fields of each content, in the order of the specification. */
export const DECLARED_FIELDS = ofEach(declaredIn)

export const PLATFORM_FIELDS = ofEach((content) => DECLARED_FIELDS[content].map(({ name }) => name))

/** Fields without which there is no item, beside the unique ID. */
export const REQUIRED_FIELDS = ofEach((content) =>
  DECLARED_FIELDS[content].flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
)

function ofEach<Value>(fieldsOf: (content: Content) => readonly Value[]) {
  return {
    agenda: fieldsOf('agenda'),
    speakers: fieldsOf('speakers'),
    attendees: fieldsOf('attendees'),
  } satisfies Record<Content, readonly Value[]>
}

/** Platform field `sessionIds` is column `session_ids`. */
export function columnOfField(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The fields of an item in the order of the specification, custom ones last: jsonb keeps an order of its own. */
export function inPlatformOrder(content: Content, fields: Fields): Fields {
  const ordered: Record<string, Fields[string]> = {}
  for (const name of PLATFORM_FIELDS[content]) {
    const value = fields[name]
    if (value !== undefined) ordered[name] = value
  }
  const { custom } = fields
  if (custom !== undefined) {
    ordered.custom = Object.fromEntries(
      Object.entries(custom).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    )
  }
  return ordered
}
