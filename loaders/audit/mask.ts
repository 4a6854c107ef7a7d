import type { Content } from '../../sql/tables.ts'

/** Stands in a masked pack where a value of a person would. */
export const MASKED = 'masked'

/** Fields of people that name items: they hold nothing of a person but an id that is an e-mail address. */
const ID_FIELDS: ReadonlySet<string> = new Set(['speakerIds', 'sessionIds', 'attendeeId', 'personalAgenda'])

/** Takes values of people out of a pack, or leaves them in. */
export interface Mask {
  id(text: string): string
  /** A platform field of an item; one without a value stays so. */
  field(
    content: Content,
    name: string,
    value: string | readonly string[] | undefined,
  ): string | readonly string[] | undefined
}

/** For `audit.personalData: full`. */
export const noMask: Mask = { id: (text) => text, field: (_, __, value) => value }

/** For `audit.personalData: masked`. */
export const mask: Mask = {
  id: maskedId,
  field(content, name, value) {
    if (value === undefined) return undefined
    if (!ID_FIELDS.has(name)) return content === 'agenda' ? value : MASKED
    return typeof value === 'string' ? maskedId(value) : value.map(maskedId)
  },
}

/**
 * Leaves an id of letters, digits, `-`, `_` and `:`. A user of Source A without an id is known by what stands for the
 * e-mail address, and that may be none: without an `@`, or with another one.
 *
 * Source: spec-gaps, "Unique ID of an A attendee".
 */
function maskedId(text: string): string {
  return /^[\w:-]+$/.test(text) ? text : MASKED
}
