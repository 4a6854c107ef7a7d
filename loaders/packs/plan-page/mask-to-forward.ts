import { contentNamedIn } from '../../../transforms/rules/platform.ts'
import { MASKED, type Mask, mask } from '../csv-files/csv.ts'

/** Fields of a session that name no person. Texts and custom fields may, so they are not among them. */
const PUBLIC_FIELDS = [
  'name',
  'startTime',
  'endTime',
  'location',
  'sessionTracks',
  'filterGroup',
  'subFilters',
]

/** Hides values of people in a page that leaves the company: also texts of sessions, apart from titles. */
export const maskToForward: Mask = {
  id: mask.id,
  address: () => MASKED,
  field(content, name, value) {
    if (value === undefined || content !== 'agenda' || contentNamedIn(content, name) !== null)
      return mask.field(content, name, value)
    return PUBLIC_FIELDS.includes(name) ? value : MASKED
  },
}
