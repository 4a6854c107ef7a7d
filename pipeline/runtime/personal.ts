import type { PlannedChange } from '../../loaders/packs/plan-changes.ts'
import { isAddress } from '../../transforms/rules/personal-ids.ts'
import { contentNamedIn } from '../../transforms/rules/platform.ts'

/** Text that is printed instead of personal data. */
export const HIDDEN = '(hidden)'
export const HIDDEN_HINT = `${HIDDEN} replaces values of people; --show-personal shows them\n`

/**
 * Returns true if a value of a field is personal data. Every value of a speaker or attendee is personal data,
 * except the ids of items. An id that is an e-mail address is personal data in every content.
 *
 * @param text the value, or one element of a list
 */
export function isPersonal({ content }: Pick<PlannedChange, 'content'>, field: string, text: string) {
  return contentNamedIn(content, field) === null ? content !== 'agenda' : isAddress(text)
}
