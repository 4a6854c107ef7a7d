import type { PlannedChange } from '../../loaders/packs/plan-changes.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { contentNamedIn } from '../../transforms/rules/platform.ts'

/** Printed in place of a value of a person. */
export const HIDDEN = '(hidden)'
export const HIDDEN_HINT = `${HIDDEN} replaces values of people; --show-personal shows them\n`

/**
 * Returns whether a value is one of a person: all that speakers and attendees have, except ids of items; and an id that is an e-mail
 * address, wherever it is.
 *
 * @param text the value, or one element of a list
 */
export function isPersonal({ content }: Pick<PlannedChange, 'content'>, field: string, text: string) {
  return contentNamedIn(content, field) === null ? content !== 'agenda' : isAddress(text)
}

export function isPersonalId(change: Omit<PlannedChange, 'action' | 'reason'>): boolean {
  const { content, uniqueId, before, after } = change
  if (isAddress(uniqueId)) return true
  if (content !== 'attendees') return false
  // The source does not promise that what it has for an e-mail address looks like one.
  const { emailAddress } = after ?? before ?? {}
  return typeof emailAddress === 'string' && addressKey(emailAddress) === uniqueId
}

/** Returns whether an id is an e-mail address, which is taken where the source gives no id. */
export function isAddress(id: string): boolean {
  return id.includes('@')
}
