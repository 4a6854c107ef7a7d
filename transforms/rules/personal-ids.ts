import { addressKey } from './addresses.ts'

/** Facts about the person to whom an id belongs, besides the id itself. */
export interface KnownPerson {
  /**
   * True if the source gave the person no id. If the source gave no id, the id is a spelling of the e-mail
   * address.
   */
  readonly lacksOwnId?: boolean
  /** E-mail addresses of the person. An e-mail address in the source need not look like an address. */
  readonly addresses?: readonly (string | null)[]
}

/**
 * Returns true if an id is personal, which means that it is the e-mail address of the person. An e-mail
 * address in the source need not look like an address, so the known facts about the person are compared too.
 * An id that is not an e-mail address is not personal (R42).
 */
export function isPersonalId(id: string, { lacksOwnId = false, addresses = [] }: KnownPerson = {}): boolean {
  const isItsAddress = (address: string | null) => address !== null && addressKey(address) === addressKey(id)
  return isAddress(id) || lacksOwnId || addresses.some(isItsAddress)
}

/** Returns true if an id looks like an e-mail address. */
export function isAddress(id: string): boolean {
  return id.includes('@')
}

/** Returns the e-mail addresses in the platform fields of an item before and after a change. */
export function addressesIn(
  ...items: readonly (Readonly<Record<string, unknown>> | null)[]
): readonly string[] {
  return items.flatMap((fields) => (typeof fields?.emailAddress === 'string' ? [fields.emailAddress] : []))
}
