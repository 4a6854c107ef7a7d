import type { PlannedChange } from '../../loaders/plan-changes.ts'

/** Stands where a value of a person would. */
export const HIDDEN = '(hidden)'

/** Fields that name items, not people. */
const ID_FIELDS: ReadonlySet<string> = new Set(['speakerIds', 'sessionIds', 'attendeeId', 'personalAgenda'])

/**
 * Whether a value is one of a person: whatever speakers and attendees have but ids of items, and an id that is an
 * e-mail address, wherever it stands.
 *
 * @param text the value, or one element of a list
 */
export function isPersonal(
  { content }: Pick<PlannedChange, 'content'>,
  field: string,
  text: string,
): boolean {
  return ID_FIELDS.has(field) ? isAddress(text) : content !== 'agenda'
}

/** Whether an item is keyed by what is personal. Source: spec-gaps, "Unique ID of an A attendee". */
export function isPersonalId({
  content,
  uniqueId,
  before,
  after,
}: Omit<PlannedChange, 'action' | 'reason'>): boolean {
  if (isAddress(uniqueId)) return true
  // The source does not promise that what it has for an e-mail address looks like one.
  const { emailAddress } = after ?? before ?? {}
  return (
    content === 'attendees' && typeof emailAddress === 'string' && emailAddress.toLowerCase() === uniqueId
  )
}

/** Whether an id is an e-mail address, which stands in where the source gives no id. */
export function isAddress(id: string): boolean {
  return id.includes('@')
}
