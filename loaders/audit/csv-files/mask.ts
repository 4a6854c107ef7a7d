import type { Content, FieldValue } from '../../../sql/tables.ts'
import { mapTexts } from '../../../transforms/declare/field-values.ts'

/** In a masked pack, in place of a value of a person. */
export const MASKED = 'masked'

/** Fields of people that name items: they hold nothing of a person but an id that is an e-mail address. */
const ID_FIELDS: ReadonlySet<string> = new Set(['speakerIds', 'sessionIds', 'attendeeId', 'personalAgenda'])

/** Takes values of people out of a pack, or leaves them in. */
export interface Mask {
  id(text: string): string
  field(content: Content, name: string, value: FieldValue | undefined): FieldValue | undefined
}

/** For `audit.personalData: full`. */
export const noMask: Mask = { id: (text) => text, field: (_, __, value) => value }

/** For `audit.personalData: masked`. */
export const mask: Mask = {
  id: maskedId,
  field(content, name, value) {
    if (value === undefined) return undefined
    if (!ID_FIELDS.has(name)) return content === 'agenda' ? value : MASKED
    return mapTexts(value, maskedId)
  },
}

/**
 * Leaves an id of letters, digits, `-`, `_` and `:`. A user of Source A without an id is known by what replaces the
 * e-mail address, and that may be none: without an `@`, or with another one.
 */
function maskedId(text: string): string {
  return /^[\w:-]+$/.test(text) ? text : MASKED
}
