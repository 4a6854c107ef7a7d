import { mapTexts } from '../../../transforms/declare/field-values.ts'
import { contentNamedIn } from '../../../transforms/rules/platform.ts'
import { MASKED, type Mask, mask } from '../csv-files/csv.ts'

/**
 * Fields of a session that do not name people. Descriptions and custom fields are not in the list, because
 * their texts may name people.
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
 * Makes the mask of the page that an organiser can forward to others. The mask also hides fields of sessions
 * that may name people.
 *
 * @param personalIds ids that are e-mail addresses of people, even if they do not look like addresses
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
