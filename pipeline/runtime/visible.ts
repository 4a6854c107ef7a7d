/**
 * Characters that control a terminal or change how the text around them is displayed: control characters,
 * text directions, line breaks. The joiners of emoji and Persian words are harmless, so they are not
 * included.
 */
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const WIDTH = 80

/** Number of characters that are shown in front of the first difference of two long texts. */
const LEAD = 20

/** Returns foreign text on one line, with all characters escaped that could control a terminal. */
export function visible(text: string): string {
  return text.replace(STEERING, (character) => {
    if (character === '\n') return '\\n'
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** Returns a value in quotation marks. A long value is cut, and followed by its length. */
export function quoted(text: string): string {
  return excerpt([...text], 0)
}

/** Returns digits or a flag unchanged. Long digits are cut like a text. */
export function digits(text: string): string {
  return text.length > WIDTH ? quoted(text) : text
}

/** Returns an id unchanged if it cannot be confused with the text around it; otherwise in quotation marks. */
export function word(text: string): string {
  return /^[^\s"\\(),]{1,80}$/u.test(text) && visible(text) === text ? text : quoted(text)
}

/**
 * Returns two different values in quotation marks. Of long values it returns the part with the first
 * difference.
 */
export function quotedPair(before: string, after: string): readonly [string, string] {
  const [first, second] = [[...before], [...after]]
  const place = first.findIndex((character, index) => character !== second[index])
  const isLong = first.length > WIDTH || second.length > WIDTH
  const from = isLong ? Math.max(0, (place === -1 ? first.length : place) - LEAD) : 0
  return [excerpt(first, from), excerpt(second, from)]
}

/** Cuts a text and then escapes it. In the other order the cut could split an escape sequence. */
function excerpt(characters: readonly string[], from: number): string {
  const { length } = characters
  const part = characters.slice(from, from + WIDTH).join('')
  const text = visible(part.replace(/["\\]/g, '\\$&'))
  if (from === 0 && length <= WIDTH) return `"${text}"`
  const [start, end] = [from === 0 ? '' : '…', from + WIDTH >= length ? '' : '…']
  return `"${start}${text}${end}" (${length} characters)`
}

/**
 * Colours, which only the product itself adds. Foreign text is always escaped earlier, so it cannot contain
 * colours.
 */
const COLOUR = '\\x1b\\[3[1-9]m'

const UNPRINTED = new RegExp(`(${COLOUR})|(?!\\n|\\t|\\r\\n)${STEERING.source}`, 'gu')

/**
 * Escapes a text of several lines for a terminal. The escapes are those of JSON, so that JSON text keeps its
 * value.
 */
export function escaped(text: string): string {
  return text.replace(UNPRINTED, (character, colour?: string) => colour ?? asJson(character))
}

function asJson(character: string): string {
  const units = character.split('') // of UTF-16
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

/**
 * Returns JSON with the same value that cannot control a terminal. JSON.stringify escapes only a few such
 * characters.
 */
export function toVisibleJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, asJson)
}
