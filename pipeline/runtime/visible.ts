/**
 * Characters that control a terminal or change how the text around them is displayed. The characters are
 * control characters, text directions and line breaks. The joiner characters in emoji and Persian words are
 * harmless, so they are not included.
 */
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const WIDTH = 80

/** If two long texts differ, number of characters that are shown before the first difference. */
const LEAD = 20

/**
 * Returns a text from outside the product on one line. All characters that could control a terminal are
 * escaped.
 */
export function visible(text: string): string {
  return text.replace(STEERING, (character) => {
    if (character === '\n') return '\\n'
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** Returns a value in quotation marks. A long value is cut; its length follows. */
export function quoted(text: string): string {
  return excerpt([...text], 0)
}

/** Returns digits or a flag unchanged. Long digits are cut as a text would be. */
export function digits(text: string): string {
  return text.length > WIDTH ? quoted(text) : text
}

/**
 * Returns an id unchanged if it cannot be confused with the text around it. Returns any other id in quotation
 * marks.
 */
export function word(text: string): string {
  return /^[^\s"\\(),]{1,80}$/u.test(text) && visible(text) === text ? text : quoted(text)
}

/**
 * Returns two different values in quotation marks. If the values are long, returns only the part with their
 * first difference.
 */
export function quotedPair(before: string, after: string): readonly [string, string] {
  const [first, second] = [[...before], [...after]]
  const place = first.findIndex((character, index) => character !== second[index])
  const isLong = first.length > WIDTH || second.length > WIDTH
  const from = isLong ? Math.max(0, (place === -1 ? first.length : place) - LEAD) : 0
  return [excerpt(first, from), excerpt(second, from)]
}

/**
 * Cuts a text first and then escapes it. If the text were escaped first, cutting could split an escape
 * sequence.
 */
function excerpt(characters: readonly string[], from: number): string {
  const { length } = characters
  const part = characters.slice(from, from + WIDTH).join('')
  const text = visible(part.replace(/["\\]/g, '\\$&'))
  if (from === 0 && length <= WIDTH) return `"${text}"`
  const [start, end] = [from === 0 ? '' : '…', from + WIDTH >= length ? '' : '…']
  return `"${start}${text}${end}" (${length} characters)`
}

/**
 * Matches colour codes, which only the product itself adds to texts. Text from outside the product was
 * escaped before, so it contains no colour codes.
 */
const COLOUR = '\\x1b\\[3[1-9]m'

const UNPRINTED = new RegExp(`(${COLOUR})|(?!\\n|\\t|\\r\\n)${STEERING.source}`, 'gu')

/**
 * Escapes a text of several lines before it is printed on a terminal. The function uses the escape sequences
 * of JSON, so JSON text still has the same value.
 */
export function escaped(text: string): string {
  return text.replace(UNPRINTED, (character, colour?: string) => colour ?? asJson(character))
}

function asJson(character: string): string {
  const units = character.split('') // of UTF-16
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

/**
 * Returns a value as JSON that cannot control a terminal. JSON.stringify alone escapes only a few of the
 * dangerous characters.
 */
export function toVisibleJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, asJson)
}
