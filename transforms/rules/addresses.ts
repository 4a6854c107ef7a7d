import { domainToASCII, domainToUnicode } from 'node:url'

/** Finds a letter beyond ASCII in a domain, or a label in punycode. */
const INTERNATIONAL = /[^\0-\x7f]|(?:^|\.)xn--/
/** Longest domain (RFC 1035). Converting a much longer text would take minutes. */
const MAX_DOMAIN_LENGTH = 253

/**
 * Returns the form in which e-mail addresses are compared: in lower case and NFC (macOS types NFD), with the
 * domain in Unicode (it may be written in punycode).
 *
 * @param address any text; it may not look like an address
 */
export function addressKey(address: string): string {
  return withDomain(address.trim().normalize('NFC').toLowerCase().normalize('NFC'), domainToUnicode)
}

/**
 * Returns the forms in which a stored address may be written, in lower case: with its domain in Unicode and
 * in punycode.
 */
export function addressForms(address: string): readonly string[] {
  const key = addressKey(address)
  return [...new Set([key, withDomain(key, domainToASCII)])]
}

/** Returns the forms of an address in NFC and in NFD, because texts and URLs may contain either. */
export function addressSpellings(address: string): readonly string[] {
  return [...new Set(addressForms(address).flatMap((form) => [form, form.normalize('NFD')]))]
}

/** Returns a domain, or a part of one, in Unicode and in punycode. */
export function domainForms(domain: string): readonly string[] {
  return addressForms(`@${domain}`).map((form) => form.slice(1))
}

function withDomain(address: string, inForm: (domain: string) => string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  if (at === 0 || domain.length > MAX_DOMAIN_LENGTH || !INTERNATIONAL.test(domain)) return address
  return address.slice(0, at) + (inForm(domain) || domain)
}
