import { makeSampleEvent } from '../../../pipeline/demo/sample-event.ts'

export type Draft = Readonly<Record<string, unknown>>

export const event = makeSampleEvent()

export function text(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || JSON.isRawJSON(value) ? JSON.stringify(value) : ''
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function isObject(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** Records whose key repeats that of an earlier one while something else differs. */
export function repeated(records: readonly Draft[], key: string): readonly Draft[] {
  return records.filter((record, index) => {
    const earlier = records.slice(0, index).find((other) => text(other[key]) === text(record[key]))
    return (
      text(record[key]) !== '' && earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(record)
    )
  })
}

export function unsupported(records: readonly Draft[]): readonly Draft[] {
  return records.filter((record) => /\\u0000|\\ud[89a-f]../.test(JSON.stringify(record)))
}
