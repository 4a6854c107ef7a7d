/** What a resource holds, in source order: an array, or a list that makes its elements when they are asked for. */
export interface ElementList {
  readonly length: number
  at(index: number): unknown
}

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

/** The JSON of one element; lone surrogates and U+0000 become escapes. */
export function toElementText(element: unknown): string {
  if (isRawElement(element)) return element[rawText]
  const text: string | undefined = JSON.stringify(element)
  if (text === undefined) throw new Error(`a sample element that JSON cannot write: ${typeof element}`)
  return text
}

/** The elements from `skip` on, at most `take` of them, one at a time. */
export function* sliceOf(elements: ElementList, skip: number, take: number): Generator<unknown> {
  const end = Math.min(elements.length, skip + take)
  for (let index = skip; index < end; index += 1) yield elements.at(index)
}
