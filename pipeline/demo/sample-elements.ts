import { readFile } from 'node:fs/promises'
import { toJsonNumber } from '../../transforms/rules/json.ts'

/** A list whose elements may be worked out when they are asked for; every array is one. */
export interface ElementList {
  readonly length: number
  at(index: number): unknown
}

/**
 * What a resource holds, in source order.
 *
 * A function is asked anew for each answer and walked from its start, so it suits one unpaged answer of any
 * size; for many pages of a large resource take an `ElementList`, which goes to a page directly.
 */
export type Elements = ElementList | (() => Iterable<unknown>)

const rawText = Symbol('raw text')

/** An element served byte for byte as written, with no expansion or field selection: repeated keys and all. */
export interface RawElement {
  readonly [rawText]: string
}

export function rawElement(text: string): RawElement {
  return { [rawText]: text }
}

export function isRawElement(value: unknown): value is RawElement {
  return typeof value === 'object' && value !== null && rawText in value
}

/** The JSON of one element. Lone surrogates and U+0000 come out as escapes, as JSON wants them. */
export function toElementText(element: unknown): string {
  if (isRawElement(element)) return element[rawText]
  const text: string | undefined = JSON.stringify(element)
  if (text === undefined) throw new Error(`a sample element that JSON cannot write: ${typeof element}`)
  return text
}

/** Reads JSON so that writing it again gives every number the digits it had. Of repeated keys the last stays. */
export function parseKeepingDigits(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? toJsonNumber(context.source) : value,
  )
}

/** Reads a file that holds one resource as a JSON array. */
export async function readElements(path: string): Promise<readonly unknown[]> {
  const elements = parseKeepingDigits(await readFile(path, 'utf8'))
  if (!Array.isArray(elements)) throw new Error(`${path}: a JSON array is due`)
  return elements
}

/** The elements from `skip` on, at most `take` of them, one at a time. */
export function* sliceOf(elements: Elements, skip: number, take: number): Generator<unknown> {
  if (take <= 0) return
  if (typeof elements !== 'function') {
    const end = Math.min(elements.length, skip + take)
    for (let index = skip; index < end; index += 1) yield elements.at(index)
    return
  }
  let index = 0
  for (const element of elements()) {
    if (index >= skip) yield element
    index += 1
    if (index >= skip + take) return
  }
}

const counted = new WeakMap<() => Iterable<unknown>, number>()

/** How many elements there are; a function is walked once for it and its count remembered. */
export function countOf(elements: Elements): number {
  if (typeof elements !== 'function') return elements.length
  const known = counted.get(elements)
  if (known !== undefined) return known
  let count = 0
  for (const _ of elements()) count += 1
  counted.set(elements, count)
  return count
}
