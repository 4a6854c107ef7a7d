import { isJsonObject, type Json, type JsonObject } from '../../../transforms/rules/values.ts'

/**
 * Maximum number of characters that are kept of one text in a record that is too large. The limit is longer
 * than any id. The constant below is the maximum for all texts of the record.
 */
export const MOST_CHARACTERS = 2000
const MOST_OF_ALL = 1_000_000

/**
 * Keeps the members of a record that is too large, in order to find its id. Only the beginning of each text
 * is kept.
 */
export class LargeRecord {
  readonly #members = new Map<string, Json>()
  #characters = 0

  /** Keeps a member. An empty list replaces a list or an object. */
  keep(key: string, value: Json): void {
    const kept = shortOf(value)
    this.#characters += key.length + String(kept).length
    if (this.isWhole) this.#members.set(key, kept)
  }

  /** False if some members were not kept. If members are missing, the id may be missing too. */
  get isWhole(): boolean {
    return this.#characters <= MOST_OF_ALL
  }

  get members(): JsonObject {
    return Object.fromEntries(this.#members)
  }

  /** Keeps the members of a record, or of the part of the record that was read. */
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
