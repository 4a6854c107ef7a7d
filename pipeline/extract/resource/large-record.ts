import { isJsonObject, type Json, type JsonObject } from '../../../transforms/rules/values.ts'

/**
 * The most characters kept of one text of a record that is too large (more than an id may have), and of all
 * texts.
 */
export const MOST_CHARACTERS = 2000
const MOST_OF_ALL = 1_000_000

/**
 * Keeps the members of a record that is too large, with only the beginning of each text, in order to find its
 * id.
 */
export class LargeRecord {
  readonly #members = new Map<string, Json>()
  #characters = 0

  /** Keeps a member; a list or an object is replaced by an empty list. */
  keep(key: string, value: Json): void {
    const kept = shortOf(value)
    this.#characters += key.length + String(kept).length
    if (this.isWhole) this.#members.set(key, kept)
  }

  /** False if not all members were kept: then the id may be missing. */
  get isWhole(): boolean {
    return this.#characters <= MOST_OF_ALL
  }

  get members(): JsonObject {
    return Object.fromEntries(this.#members)
  }

  /** Keeps the members of a record, or of the part of it that was read. */
  static of(record: Json): LargeRecord {
    const large = new LargeRecord()
    if (isJsonObject(record)) for (const [key, value] of Object.entries(record)) large.keep(key, value)
    return large
  }
}

function shortOf(value: Json): string | number | boolean | null | readonly Json[] {
  if (JSON.isRawJSON(value)) return value.rawJSON.slice(0, MOST_CHARACTERS)
  if (typeof value === 'string') return value.slice(0, MOST_CHARACTERS)
  return typeof value === 'object' && value !== null ? [] : value
}
