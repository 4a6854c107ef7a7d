import { addressKey } from './addresses.ts'

/** What is known of the person whom an id names, besides the id. */
export interface KnownPerson {
  /** True if the source gave the person no id. Then the id is a spelling of the e-mail address. */
  readonly lacksOwnId?: boolean
  /** E-mail addresses of the person. They may not look like addresses. */
  readonly addresses?: readonly (string | null)[]
}

/**
 * Returns true if an id is personal, because it is the e-mail address of the person. An address from a source
 * may not look like one: then what is known of the person decides. Other ids are not personal (R42).
 */
export function isPersonalId(id: string, { lacksOwnId = false, addresses = [] }: KnownPerson = {}): boolean {
  const isItsAddress = (address: string | null) => address !== null && addressKey(address) === addressKey(id)
  return isAddress(id) || lacksOwnId || addresses.some(isItsAddress)
}

/** Returns true if an id looks like an e-mail address. */
export function isAddress(id: string): boolean {
  return id.includes('@')
}

/** Returns the e-mail addresses in the platform fields of an item, before and after a change. */
export function addressesIn(
  ...items: readonly (Readonly<Record<string, unknown>> | null)[]
): readonly string[] {
  return items.flatMap((fields) => (typeof fields?.emailAddress === 'string' ? [fields.emailAddress] : []))
}
