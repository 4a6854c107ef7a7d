import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'

const WORDS = 'Opening data Über naïve ÅÄÖ 数据 Panel of the O’Neil zebra Apple'.split(' ')

/** Returns a few words that the rule for texts does not change. */
export function words({ random }: Draw): string {
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(WORDS)).join(' ')
}

// Characters that `trim` removes: spaces, line ends, no-break space, byte order mark, and further separators
// of Unicode.
const TRIMMED = [
  ...['\u0020', '\u00a0', '\ufeff', '\u3000', '\u2028', '\u2003', '\t', '\r\n', '\u000b', '\u000c', '\u1680'],
]
// Characters that `trim` does not remove, although they look like white space: NEL, zero width space,
// Mongolian vowel separator, unit separator.
const KEPT = ['\u0085', '\u200b', '\u180e', '\u001f']
const FORMULAS = ['=1+1', '+49 30 1', '-5', '@SUM(A1)', "'quoted", '＝1', '＋1', '－1', '＠x', "''", '="a;b"']

/**
 * Values that are read as text. Some values have a special meaning in other programs, for example as
 * formulas.
 */
const usableText = traps<Json>('text', {
  plain: [30, words],
  'a number as text': [1, ({ random }) => String(random.below(2000))],
  html: [2, (draw) => `<p>${words(draw)} &amp; <b>${words(draw)}</b></p>`],
  'a formula': [3, ...FORMULAS],
  'padded with white space': [
    2,
    (draw) => draw.random.pick(TRIMMED) + words(draw) + draw.random.pick(TRIMMED),
  ],
  'what trim leaves at its ends': [
    1,
    (draw) => draw.random.pick(KEPT) + words(draw) + draw.random.pick(KEPT),
  ],
  'line ends and quotes within': [1, (draw) => `"${words(draw)}"\r\n${words(draw)}\n"x", y\rz`],
  'semicolons and backslashes': [1, (draw) => `${words(draw)}; a\\;b\\`],
  'U+0000 within': [1, (draw) => `\u0000${words(draw)}\u0000x \u0000`],
  'lone high surrogate': [1, (draw) => `${words(draw)}\ud800`],
  'lone low surrogate': [1, (draw) => `\udc00${words(draw)}`],
  'U+0000 within a surrogate pair': [0.5, 'x\ud83d\u0000\ude00'],
  long: [0.5, 'long '.repeat(1500)],
  'surrogate pair': [1, (draw) => `${words(draw)} \u{1f600}`],
  'an integer': [1, ({ random }) => num(random.below(100))],
  'an integer beyond 2^53': [1, ({ random }) => num(`9007199254740993${random.below(1000)}`)],
  'a number with a fraction of zero': [1, ({ random }) => num(`${random.below(100)}.0`)],
  'a number with an exponent': [
    1,
    ({ random }) => num(random.pick(['1e5', '1E+2', '-1.50e-3', '-0', '12.3400'])),
  ],
})

const unusableText = traps<Json | undefined>('no text', {
  absent: [3, undefined],
  null: [3, null],
  empty: [3, ''],
  'white space only': [1, ({ random }) => random.pick(TRIMMED) + random.pick(TRIMMED)],
  'U+0000 only': [1, '\u0000 \u0000'],
  true: [1, true],
  false: [1, false],
  object: [1, (draw) => obj({ value: words(draw) })],
  list: [1, (draw) => [words(draw)]],
})

/** Returns a value for an optional text. */
export function optionalText(draw: Draw): Json | undefined {
  return draw.random.chance(0.75) ? usableText(draw) : unusableText(draw)
}

/**
 * Returns a value for a required text. Most values are usable, because otherwise few records would be synced.
 */
export function requiredText(draw: Draw): Json | undefined {
  return draw.random.chance(0.93) ? usableText(draw) : unusableText(draw)
}

/** Unusable values for fields with rules of their own. The same mistakes are possible in every text. */
export const brokenText = unusableText

export function padded({ random }: Draw, text: string): string {
  return random.pick(TRIMMED) + text + random.pick([...TRIMMED, ''])
}
