/**
 * Matches a word: letters and digits with their accents. Apostrophes and hyphens may join the parts of a
 * word.
 */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*/gu

/**
 * Returns the words of a name or title in the form in which words are compared. The compared form is lower
 * case, without the accents that Unicode can separate from a letter. A name such as `O’Brien` or `Anne-Marie`
 * is one word.
 */
export function wordsIn(text: string): ReadonlySet<string> {
  const plain = text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u2010\u2011]/g, '-')
  return new Set(plain.match(WORD) ?? [])
}
