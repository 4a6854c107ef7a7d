/** A letter or digit with its marks, several of them, also joined by apostrophes or hyphens. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['-][\p{L}\p{N}\p{M}]+)*/gu

/**
 * Returns the words of a name or title, in the form in which they are compared: in lower case, and without
 * the accents that Unicode separates from their letter. `O’Brien` and `Anne-Marie` are one word each.
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
