import type { Content } from '../../sql/tables.ts'

/**
 * The kind of values that a platform field has. Examples: `ids of speakers` is a list of ids of speaker
 * items; `id of speakers` is the id of the speaker item with the same unique ID.
 */
export type FieldKind = 'text' | 'texts' | 'time' | `ids of ${Content}` | `id of ${Content}`

const optional = <const Kind extends FieldKind>(kind: Kind) => ({ kind, isRequired: false }) as const
const required = <const Kind extends FieldKind>(kind: Kind) => ({ kind, isRequired: true }) as const

/**
 * The fields of the platform for each content, in the order of the specification. New fields must be added at
 * the end of a content.
 */
export const PLATFORM = {
  agenda: {
    name: required('text'),
    startTime: required('time'),
    endTime: required('time'),
    description: optional('text'),
    location: optional('text'),
    sessionTracks: optional('texts'),
    filterGroup: optional('text'),
    subFilters: optional('texts'),
    speakerIds: optional('ids of speakers'),
    linkUrls: optional('texts'),
  },
  speakers: {
    firstName: required('text'),
    lastName: required('text'),
    title: optional('text'),
    company: optional('text'),
    description: optional('text'),
    imageUrl: optional('text'),
    sessionIds: optional('ids of agenda'),
    attendeeId: optional('id of attendees'),
    facebookUrl: optional('text'),
    linkedinUrl: optional('text'),
    twitter: optional('text'),
  },
  attendees: {
    firstName: required('text'),
    lastName: required('text'),
    emailAddress: required('text'),
    title: optional('text'),
    company: optional('text'),
    biography: optional('text'),
    phone: optional('text'),
    personalAgenda: optional('ids of agenda'),
  },
} as const satisfies Record<Content, Record<string, PlatformKind>>

export type Platform = typeof PLATFORM

export interface PlatformKind {
  readonly kind: FieldKind
  readonly isRequired: boolean
}

export function isListKind(kind: FieldKind): boolean {
  return kind === 'texts' || kind.startsWith('ids of ')
}

/**
 * Returns the content of the items to which fields of this kind refer; null if such fields do not refer to
 * items.
 */
export function contentNamedBy(kind: FieldKind): Content | null {
  return (/^ids? of (.*)$/.exec(kind)?.[1] ?? null) as Content | null
}

/**
 * Returns the content of the items to which a field refers; null if the field does not refer to items, for
 * example a custom field.
 */
export function contentNamedIn(content: Content, field: string): Content | null {
  return contentNamedBy(kindOf(content, field))
}

/** Returns true if the value of a field is an instant. */
export function isTimeField(content: Content, field: string): boolean {
  return kindOf(content, field) === 'time'
}

function kindOf(content: Content, field: string): FieldKind {
  const fields: Readonly<Record<string, PlatformKind>> = PLATFORM[content]
  return fields[field]?.kind ?? 'text'
}

/** Returns those fields of a content that refer to people. */
export function fieldsNamingPeople(content: Content): readonly string[] {
  return Object.keys(PLATFORM[content]).filter((field) => namesPeople(content, field))
}

export function namesPeople(content: Content, field: string): boolean {
  const named = contentNamedIn(content, field)
  return named !== null && named !== 'agenda'
}
