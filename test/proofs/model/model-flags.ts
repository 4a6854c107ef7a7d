import { isNumber, type Json } from '../../harness/json.ts'
import { readText } from './model-text.ts'

/** Reads a yes-or-no value; null if the record has no such value. Source: transforms/RULES.md#r58. */
export function readFlag(value: Json | undefined): boolean | null | 'left out' {
  if (typeof value === 'boolean') return value
  if (value === null || value === undefined) return null
  if (typeof value !== 'string' && !isNumber(value)) return 'left out'
  const { text } = readText(value)
  if (text === null) return null
  if (/^(?:true|yes|1)$/i.test(text)) return true
  return /^(?:false|no|0)$/i.test(text) ? false : 'left out'
}
