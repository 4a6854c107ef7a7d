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

/** The mask of the page to forward. It also hides those fields of sessions that may name people. */
export const maskToForward: Mask = {
  id: mask.id,
  address: () => MASKED,
  field(content, name, value) {
    if (value === undefined || content !== 'agenda' || contentNamedIn(content, name) !== null)
      return mask.field(content, name, value)
    return PUBLIC_FIELDS.includes(name) ? value : MASKED
  },
}
