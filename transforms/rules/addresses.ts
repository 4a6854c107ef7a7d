import { domainToASCII, domainToUnicode } from 'node:url'

/** Matches a domain with a letter outside ASCII, or with a label in punycode. */
const INTERNATIONAL = /[^\0-\x7f]|(?:^|\.)xn--/
/** Longest domain (RFC 1035). Converting a text that is much longer than a domain would take minutes. */
const MAX_DOMAIN_LENGTH = 253

/**
 * Returns the form in which e-mail addresses are compared: lower case, Unicode form NFC (macOS types NFD),
 * and the domain in Unicode instead of punycode.
 *
 * @param address any text, even if it does not look like an address
 */
export function addressKey(address: string): string {
  return withDomain(address.trim().normalize('NFC').toLowerCase().normalize('NFC'), domainToUnicode)
}

/**
 * Returns the two forms in which a stored address may be written: with the domain in Unicode and in punycode,
 * both in lower case.
 */
export function addressForms(address: string): readonly string[] {
  const key = addressKey(address)
  return [...new Set([key, withDomain(key, domainToASCII)])]
}

/**
 * Returns the forms of an address in Unicode forms NFC and NFD, because texts and URLs may contain either
 * form.
 */
export function addressSpellings(address: string): readonly string[] {
  return [...new Set(addressForms(address).flatMap((form) => [form, form.normalize('NFD')]))]
}

/** Returns the two forms of a domain, or of a part of a domain: in Unicode and in punycode. */
export function domainForms(domain: string): readonly string[] {
  return addressForms(`@${domain}`).map((form) => form.slice(1))
}

function withDomain(address: string, inForm: (domain: string) => string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  if (at === 0 || domain.length > MAX_DOMAIN_LENGTH || !INTERNATIONAL.test(domain)) return address
  return address.slice(0, at) + (inForm(domain) || domain)
}
