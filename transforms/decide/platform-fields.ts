import type { Content, Fields } from '../../sql/tables.ts'
import { contentNamedBy, isListKind, PLATFORM, type PlatformKind } from '../rules/platform.ts'
import { transformA } from '../source-a/index.ts'
import { transformB } from '../source-b/index.ts'

/** Declarations of each source, by its `type` in event-sync.yaml. */
export const TRANSFORMS = { a: transformA, b: transformB } as const

/** A platform field, and the sources that fill it. */
export interface PlatformField {
  readonly name: string
  readonly isRequired: boolean
  readonly isList: boolean
  readonly isTime: boolean
  /** Content of the items to which its values refer; null if they do not refer to items. */
  readonly refersTo: Content | null
  readonly sources: readonly string[]
}

/** Returns the fields of a content with the sources that fill each. */
function fieldsOf(content: Content): readonly PlatformField[] {
  return Object.entries<PlatformKind>(PLATFORM[content]).map(([name, { kind, isRequired }]) => ({
    name,
    isRequired,
    isList: isListKind(kind),
    isTime: kind === 'time',
    refersTo: contentNamedBy(kind),
    sources: Object.entries(TRANSFORMS).flatMap(([type, { contents }]) =>
      contents.some((one) => one.content === content && name in one.fields) ? [type] : [],
    ),
  }))
}

/** Platform fields of each content, in the order of the specification. */
export const DECLARED_FIELDS = ofEach(fieldsOf)

export const PLATFORM_FIELDS = ofEach((content) => DECLARED_FIELDS[content].map(({ name }) => name))

/** Fields without which no item exists, apart from the unique ID. */
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

/** Returns the column of a platform field: `session_ids` for `sessionIds`. */
export function columnOfField(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Returns the fields of an item in the order of the specification, with custom fields last. This is needed
 * because jsonb does not keep the order.
 */
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
