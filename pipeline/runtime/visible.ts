/**
 * Characters that steer a terminal, or change how the text around them is read: controls, directions of writing,
 * breaks of line. The joiners of emoji and of Persian words do neither.
 */
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const WIDTH = 80

/** Characters that stay in front of the place where two long texts begin to differ. */
const LEAD = 20

/** A text of others on one line, with everything that could steer a terminal escaped. */
export function visible(text: string): string {
  return text.replace(STEERING, (character) => {
    if (character === '\n') return '\\n'
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** A value in quotation marks; a long one is cut, with its length behind it. */
export function quoted(text: string): string {
  return excerpt([...text], 0)
}

/** Returns digits or a flag unchanged; long digits are cut like a text. */
export function digits(text: string): string {
  return text.length > WIDTH ? quoted(text) : text
}

/** Returns an id unchanged, if nothing in it can be mistaken for the text around it; else in quotation marks. */
export function word(text: string): string {
  return /^[^\s"\\(),]{1,80}$/u.test(text) && visible(text) === text ? text : quoted(text)
}

/** Two values that differ, in quotation marks; of long ones the part in which they begin to differ. */
export function quotedPair(before: string, after: string): readonly [string, string] {
  const [first, second] = [[...before], [...after]]
  const place = first.findIndex((character, index) => character !== second[index])
  const isLong = first.length > WIDTH || second.length > WIDTH
  const from = isLong ? Math.max(0, (place === -1 ? first.length : place) - LEAD) : 0
  return [excerpt(first, from), excerpt(second, from)]
}

/** Cut before it is escaped, so that no escape is cut in two. */
function excerpt(characters: readonly string[], from: number): string {
  const { length } = characters
  const part = characters.slice(from, from + WIDTH).join('')
  const text = visible(part.replace(/["\\]/g, '\\$&'))
  if (from === 0 && length <= WIDTH) return `"${text}"`
  const [start, end] = [from === 0 ? '' : '…', from + WIDTH >= length ? '' : '…']
  return `"${start}${text}${end}" (${length} characters)`
}

/** Colours, which are our own: no text of others reaches where they are put on without being written out before. */
const COLOUR = '\\x1b\\[3[1-9]m'

const UNPRINTED = new RegExp(`(${COLOUR})|(?!\\n|\\t|\\r\\n)${STEERING.source}`, 'gu')

/** A text of several lines for a terminal, with what could steer one written as JSON does, so that JSON keeps its value. */
export function escaped(text: string): string {
  return text.replace(UNPRINTED, (character, colour?: string) => colour ?? asJson(character))
}

function asJson(character: string): string {
  const units = character.split('') // of UTF-16
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

/** JSON that is the same value and steers no terminal: JSON itself escapes few such characters. */
export function toVisibleJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, asJson)
}
