import type { Content, Fields } from '../../sql/tables.ts'
import { contentNamedBy, isListKind, PLATFORM, type PlatformKind } from '../rules/platform.ts'
import { transformA } from '../source-a/index.ts'
import { transformB } from '../source-b/index.ts'

/** The declaration of each source, by the value of `source.type` in event-sync.yaml. */
export const TRANSFORMS = { a: transformA, b: transformB } as const

/** A platform field, together with the sources that can fill it. */
export interface PlatformField {
  readonly name: string
  readonly isRequired: boolean
  readonly isList: boolean
  readonly isTime: boolean
  /** Content of the items to which the field refers; null if the field does not refer to items. */
  readonly refersTo: Content | null
  readonly sources: readonly string[]
}

/** Returns the platform fields of a content, each with the sources that can fill it. */
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

/** Fields that an item must have, apart from the unique ID. */
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

/**
 * Returns the name of the database column for a platform field, for example `session_ids` for `sessionIds`.
 */
export function columnOfField(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Returns the fields of an item in the order of the specification, with custom fields last. The function is
 * needed because jsonb does not keep the order of keys.
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
