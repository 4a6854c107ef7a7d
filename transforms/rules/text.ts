import type { Json } from './json.ts'

/** What the reading of a text has to say about it, for the decision's detail. */
export type TextMark = 'not_text' | 'unsupported_character'

/** A text as the platform receives it; `value` is null where the text is absent. */
export interface Text {
  readonly value: string | null
  readonly mark: TextMark | null
}

const ABSENT: Text = Object.freeze({ value: null, mark: null })
const NOT_TEXT: Text = Object.freeze({ value: null, mark: 'not_text' })

/**
 * Reads a value where text is due.
 *
 * @param value a number counts as its digits as written; a boolean, object or list as absent, `not_text`
 * @returns the trimmed text, blank being absent; `unsupported_character` where a character was dropped or
 * replaced, even if nothing is left
 */
export function readText(value: Json | undefined): Text {
  if (typeof value === 'string') return readString(value)
  if (value === null || value === undefined) return ABSENT
  if (typeof value === 'number') return { value: String(value), mark: null }
  if (JSON.isRawJSON(value)) return { value: value.rawJSON, mark: null }
  return NOT_TEXT
}

function readString(text: string): Text {
  const stored = storableText(text)
  const mark = stored === text ? null : 'unsupported_character'
  const value = stored.trim()
  if (value !== '') return { value, mark }
  return mark === null ? ABSENT : { value: null, mark }
}

/** Drops U+0000 from a text, and makes U+FFFD of lone surrogates: PostgreSQL's `text` and `jsonb` hold neither. */
export function storableText(text: string): string {
  const kept = text.includes('\0') ? text.replaceAll('\0', '') : text
  return kept.isWellFormed() ? kept : kept.toWellFormed()
}
