import { existsSync, readFileSync } from 'node:fs'

const folder = new URL('../../../shared/suites/', import.meta.url)
const naughty = new URL('blns/blns.json', folder)
const injections = new URL('csv-injection/payloads.json', folder)

/**
 * Further strings that the public suites do not contain. Some of the added strings cannot be written in a
 * text file.
 */
const OURS = [
  'a\u0000b',
  '\u0000',
  ' \u0000 = \u0000',
  'high \ud83c alone',
  '\udf0alow',
  '\udf0a\ud83c',
  '\u00a0\ufeff\u3000',
  'e\u0301 \u212b',
  'ends in \\',
  'a; b;c\\; d',
  ';',
  '; ',
  '\\;',
  '"',
  '""',
  "'",
  "''=1",
  'line\r\nline\rline\nline',
  '＝1',
  '\ufeff\t@x',
  'very '.repeat(5000),
]

/** Every string of the public suites without repetitions; null if a suite is missing on this machine. */
export const strings: readonly string[] | null =
  existsSync(naughty) && existsSync(injections) ? [...new Set([...read(), ...OURS])] : null

function read(): readonly string[] {
  const { payloads, lookalikes_from_real_data: lookalikes } = JSON.parse(readFileSync(injections, 'utf8'))
  return [...JSON.parse(readFileSync(naughty, 'utf8')), ...payloads, ...lookalikes]
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/**
 * Applies the documented rule for texts. U+0000 is dropped, and a lone surrogate becomes U+FFFD. The result
 * is trimmed as in JavaScript, and a blank text counts as absent.
 */
export function byTextRule(text: string): string | undefined {
  const kept = text.replaceAll('\u0000', '').replaceAll(LONE_SURROGATE, '\ufffd').trim()
  return kept === '' ? undefined : kept
}

/** Returns the texts that can be ids: not absent, not too long, and without repetitions. */
export function idsAmong(
  texts: readonly string[],
): readonly { readonly text: string; readonly id: string }[] {
  const byId = new Map<string, string>()
  for (const text of texts) {
    const id = byTextRule(text)
    if (id !== undefined && Buffer.byteLength(id) <= 1000) byId.set(id, text)
  }
  return [...byId].map(([id, text]) => ({ id, text }))
}
