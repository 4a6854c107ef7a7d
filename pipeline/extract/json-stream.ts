import { getManyValues, isMany, none } from 'stream-chain/defs.js'
import type { parser } from 'stream-json'
import { jsonParser } from 'stream-json/parser.js'
import type { Json, JsonObject } from '../../transforms/rules/json.ts'
import { assembleElements } from './element-assembler.ts'
import { ReadError } from './read-error.ts'

/** What stood around the elements of an answer. */
export interface Envelope {
  /** `array`: a bare array; else the key of the object that held the elements. */
  readonly form: 'array' | 'value' | 'items'
  /** The object's other members; empty for a bare array. */
  readonly members: JsonObject
}

/** Keys under which an answer that is an object may hold its elements. */
const ELEMENT_KEYS = ['value', 'items']

/**
 * Reads an answer element by element; it never holds more than one chunk and one element.
 *
 * Accepts `[…]`, `{"value":[…]}`, `{"items":[…]}` and `{"items":{"<id>":…}}`. Everything else is a failed read.
 *
 * @param body the answer, decompressed
 * @param maxRecordBytes largest size of one element (and of all that stands around the elements)
 * @returns the envelope, when the answer has ended
 * @throws ReadError
 * Source: spec-gaps, "Source A, on the wire", "Source B, on the wire".
 */
export async function* readElements(
  body: AsyncIterable<Uint8Array>,
  maxRecordBytes: number,
): AsyncGenerator<readonly Json[], Envelope> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  // The types leave out `none`, by which a parser is told that the text has ended.
  const parse = jsonParser({ streamValues: false }) as (text: string | typeof none) => unknown
  const reader = elementReader()
  let bytesSinceElement = 0

  for await (const chunk of body) {
    const elements = tokensOf(() => parse(decoder.decode(chunk, { stream: true })), reader.take)
    bytesSinceElement = elements.length > 0 ? 0 : bytesSinceElement + chunk.length
    if (bytesSinceElement > maxRecordBytes) {
      throw new ReadError(`a record is larger than http.maxRecordBytes (${maxRecordBytes})`, {
        retryable: false,
      })
    }
    if (elements.length > 0) yield elements
  }
  const rest = tokensOf(() => parse(decoder.decode()), reader.take).concat(
    tokensOf(() => parse(none), reader.take),
  )
  if (rest.length > 0) yield rest
  return reader.end()
}

/** Runs the parser and hands its tokens on; a fault of either is a failed read. */
function tokensOf(parse: () => unknown, take: (token: parser.Token) => Json | undefined): Json[] {
  const elements: Json[] = []
  try {
    const tokens = parse()
    if (!isMany(tokens)) return elements
    for (const token of getManyValues(tokens) as parser.Token[]) {
      const element = take(token)
      if (element !== undefined) elements.push(element)
    }
  } catch (error) {
    if (error instanceof ReadError) throw error
    // A body that is cut short and one that is broken look alike here, so it is worth asking again.
    const fault = error instanceof TypeError ? 'the answer is not UTF-8' : 'the answer is not JSON'
    throw new ReadError(error instanceof RangeError ? `a record is ${error.message}` : fault, {
      retryable: !(error instanceof RangeError),
      cause: error,
    })
  }
  return elements
}

/** Follows the tokens of one answer: which of them belong to elements, and which stand around these. */
function elementReader(): { take(token: parser.Token): Json | undefined; end(): Envelope } {
  const assembler = assembleElements()
  const members: { [key: string]: Json } = {}
  let place: 'start' | 'envelope' | 'elements' | 'end' = 'start'
  let form: Envelope['form'] | null = null
  let inElement = false
  let memberKey: string | null = null

  function start(token: parser.Token): void {
    if (token.name === 'startArray') {
      form = 'array'
      place = 'elements'
    } else if (token.name === 'startObject') {
      place = 'envelope'
    } else {
      throw new ReadError('a single value where an array is due', { retryable: false })
    }
  }

  function envelope(token: parser.Token): void {
    if (memberKey === null) {
      if (token.name === 'keyValue') memberKey = token.value
      else place = 'end'
      return
    }
    const opens = token.name === 'startArray' || (memberKey === 'items' && token.name === 'startObject')
    if (!inElement && opens && ELEMENT_KEYS.includes(memberKey)) {
      if (form !== null) throw new ReadError('two lists of elements in one answer', { retryable: false })
      form = memberKey as 'value' | 'items'
      memberKey = null
      place = 'elements'
      return
    }
    const value = element(token)
    if (value === undefined) return
    if (memberKey !== '__proto__') members[memberKey] = value
    memberKey = null
  }

  function element(token: parser.Token): Json | undefined {
    const value = assembler.take(token)
    inElement =
      value === undefined && (inElement || token.name === 'startObject' || token.name === 'startArray')
    return value
  }

  return {
    take(token) {
      if (place === 'elements') {
        if (inElement) return element(token)
        if (token.name === 'endArray' || token.name === 'endObject')
          place = form === 'array' ? 'end' : 'envelope'
        else if (token.name !== 'keyValue') return element(token)
        return undefined
      }
      if (place === 'start') start(token)
      else envelope(token)
      return undefined
    },
    end() {
      if (form === null) throw notAnArray(members)
      return { form, members }
    },
  }
}

const PLAIN_NAME = /^[@_a-z][a-z_.]{0,39}$/i

/** Names the keys that came instead, never what they hold: an error's text may repeat what was sent. */
function notAnArray(members: JsonObject): ReadError {
  const keys = Object.keys(members)
    .slice(0, 5)
    // A key that is no plain name could be anything that was sent: an e-mail address, or an id, which has digits as a rule.
    .map((key) => (PLAIN_NAME.test(key) ? `"${key}"` : 'a key that is no plain name'))
  const what = keys.length === 0 ? 'an empty object' : `an object where an array is due: ${keys.join(', ')}`
  return new ReadError(what, { retryable: false })
}
