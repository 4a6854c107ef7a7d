import { mapTexts } from '../../../transforms/declare/field-values.ts'
import { contentNamedIn } from '../../../transforms/rules/platform.ts'
import { MASKED, type Mask, mask } from '../csv-files/csv.ts'

/**
 * Fields of a session that do not name people. Descriptions and custom fields are left out: they may name
 * people.
 */
const PUBLIC_FIELDS = [
  'name',
  'startTime',
  'endTime',
  'location',
  'sessionTracks',
  'filterGroup',
  'subFilters',
]

/**
 * Makes the mask of the page to forward. It also hides those fields of sessions that may name people.
 *
 * @param personalIds ids that are e-mail addresses, also those that do not look like one
 */
export function maskToForward(personalIds: ReadonlySet<string>): Mask {
  const id = (text: string) => (personalIds.has(text) ? MASKED : mask.id(text))
  return {
    id,
    field(content, name, value) {
      if (value === undefined) return undefined
      if (contentNamedIn(content, name) !== null) return mapTexts(value, id)
      if (content !== 'agenda') return mask.field(content, name, value)
      return PUBLIC_FIELDS.includes(name) ? value : MASKED
    },
  }
}
