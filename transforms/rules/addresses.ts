import { domainToASCII, domainToUnicode } from 'node:url'

/** Finds a letter beyond ASCII in a domain, or a label in punycode. */
const INTERNATIONAL = /[^\0-\x7f]|(?:^|\.)xn--/
/** A domain has no more (RFC 1035); to rewrite a much longer text would take minutes. */
const MAX_DOMAIN_LENGTH = 253

/**
 * The form of an e-mail address by which two are compared: in lower case and NFC, as macOS and others type it in NFD, and its
 * domain in Unicode, whether it is written so or in punycode.
 *
 * @param address a text that need not look like an address
 */
export function addressKey(address: string): string {
  return withDomain(address.trim().normalize('NFC').toLowerCase().normalize('NFC'), domainToUnicode)
}

/** The forms that an address may have where it is looked for as it was written, in lower case: its domain in Unicode, and in punycode. */
export function addressForms(address: string): readonly string[] {
  const key = addressKey(address)
  return [...new Set([key, withDomain(key, domainToASCII)])]
}

/** These forms in NFC and in NFD: how texts and addresses of pages may have it. */
export function addressSpellings(address: string): readonly string[] {
  return [...new Set(addressForms(address).flatMap((form) => [form, form.normalize('NFD')]))]
}

/** Writes a domain, or a part of one, in these forms. */
export function domainForms(domain: string): readonly string[] {
  return addressForms(`@${domain}`).map((form) => form.slice(1))
}

function withDomain(address: string, inForm: (domain: string) => string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  if (at === 0 || domain.length > MAX_DOMAIN_LENGTH || !INTERNATIONAL.test(domain)) return address
  return address.slice(0, at) + (inForm(domain) || domain)
}
