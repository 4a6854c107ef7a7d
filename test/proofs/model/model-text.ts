import { isNumber, type Json } from '../../harness/json.ts'

export type Fault = 'not_text' | 'unsupported_character'

export interface ReadText {
  readonly text: string | null
  readonly faults: readonly Fault[]
}

/** Source: transforms/RULES.md#r56. */
export function readText(value: Json | undefined): ReadText {
  if (value === null || value === undefined) return { text: null, faults: [] }
  const given = isNumber(value) ? value.digits : value
  if (typeof given !== 'string') return { text: null, faults: ['not_text'] }
  const held = given.replaceAll('\u0000', '').toWellFormed()
  const text = held.trim()
  return { text: text === '' ? null : text, faults: held === given ? [] : ['unsupported_character'] }
}

/** Compares by UTF-8 bytes. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
