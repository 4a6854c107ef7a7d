import { getManyValues, isMany, none } from 'stream-chain/defs.js'
import type { parser } from 'stream-json'
import { Assembler } from 'stream-json/assembler.js'
import { jsonParser } from 'stream-json/parser.js'
import { type Json, type JsonObject, toJsonNumber } from '../../transforms/rules/values.ts'
import { NOT_THE_API, REPORT_IT, ReadError } from '../http/read-error.ts'
import { messageOf } from '../text/message-of.ts'

export interface Envelope {
  /** `array`: a bare array; `list`: the list that was asked for; else the key of the object that held the elements. */
  readonly form: 'array' | 'value' | 'items' | 'list'
  /** The object's other members; empty for a bare array, and where one list was asked for. */
  readonly members: JsonObject
}

/** Keys under which an answer that is an object may hold its elements. */
const ELEMENT_KEYS = ['value', 'items']

/** Deeper values would cost memory and stack to print; no source nests further than ten. */
export const MAX_NESTING = 64

/**
 * Reads an answer element by element; it never holds more than one chunk and one element.
 *
 * Accepts `[…]`, `{"value":[…]}`, `{"items":[…]}` and `{"items":{"<id>":…}}`. Everything else is a failed read.
 *
 * @param body the answer, decompressed
 * @param maxRecordBytes largest size of one element (and of all that surrounds the elements)
 * @param list the key of an object, under which the elements are: what is beside it is passed over, whatever its size
 * @returns the envelope, when the answer has ended
 * @throws ReadError
 */
export async function* readElements(
  body: AsyncIterable<Uint8Array>,
  maxRecordBytes: number,
  list: string | null = null,
): AsyncGenerator<readonly Json[], Envelope> {
  const text = textReader()
  // The types leave out `none`, by which a parser is told that the text has ended.
  const parse = jsonParser({ streamValues: false }) as (text: string | typeof none) => unknown
  const reader = elementReader(list)
  const faultOf = (cause: unknown) => faultOfText(cause, text.seen())
  let bytesSinceElement = 0

  for await (const chunk of body) {
    const elements = elementsOf(() => parse(text.next(chunk)), reader.take, faultOf)
    bytesSinceElement = elements.length > 0 || reader.isBeside() ? 0 : bytesSinceElement + chunk.length
    if (bytesSinceElement > maxRecordBytes) {
      throw new ReadError(`a record is larger than http.maxRecordBytes (${maxRecordBytes})`, {
        hint: 'raise the limit if records may be that large',
      })
    }
    if (elements.length > 0) yield elements
  }
  for (const parseRest of [() => parse(text.end()), () => parse(none)]) {
    const elements = elementsOf(parseRest, reader.take, faultOf)
    if (elements.length > 0) yield elements
  }
  return reader.end()
}

/** How a text begins, and how the part ends that has been seen. */
interface SeenText {
  /** The bytes that it begins with: enough for a byte order mark or a character. */
  readonly first: readonly number[]
  /** The first character that is not blank; empty if there is none. */
  readonly begin: string
  readonly end: string
  readonly hasEnded: boolean
}

/** Decodes an answer, and keeps how it begins and ends. */
function textReader() {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const first: number[] = []
  let begin = ''
  let end = ''
  let hasEnded = false
  return {
    next(chunk: Uint8Array): string {
      if (first.length < 2) first.push(...chunk.subarray(0, 2 - first.length))
      const text = decoder.decode(chunk, { stream: true })
      if (begin === '') begin = text.trimStart().slice(0, 1)
      end = (end + text.slice(-LONGEST_ESCAPE)).slice(-LONGEST_ESCAPE)
      return text
    },
    end(): string {
      hasEnded = true
      return decoder.decode()
    },
    seen: (): SeenText => ({ first, begin, end, hasEnded }),
  }
}

const LONGEST_ESCAPE = String.raw`\u0000`.length
const ESCAPE_BEGUN = /\\(?:u[0-9a-f]{0,3})?$/i
const CUT = 'check whether a proxy or a time limit cuts answers'

/**
 * The failed read that an unreadable text is. Only an answer that was cut, or a page of something between here and the source, may be
 * better at the next try: what is complete and malformed comes malformed again.
 */
function faultOfText(cause: unknown, { first, begin, end, hasEnded }: SeenText): ReadError {
  const [byte = 0] = first
  const isUtf16 = first.includes(0) || byte >= 0xfe
  if (isUtf16 || (cause instanceof TypeError && !hasEnded)) {
    const what = `the answer is not UTF-8${isUtf16 ? ' but UTF-16' : ''}`
    return new ReadError(what, { hint: `JSON must be UTF-8; ${REPORT_IT}`, cause })
  }
  if (begin === '') return new ReadError('the answer is empty', { retryable: true, hint: NOT_THE_API, cause })
  // The parser reports a control character within a text, and a wrong escape, only at the end.
  const isWithinText = /escaped characters/.test(messageOf(cause)) && !ESCAPE_BEGUN.test(end)
  if (hasEnded && !isWithinText) {
    return new ReadError('the answer was cut: it ends within its JSON', { retryable: true, hint: CUT, cause })
  }
  if (begin === '<') {
    const what = 'the answer is not JSON but a web page'
    return new ReadError(what, { retryable: true, hint: NOT_THE_API, cause })
  }
  const hint = begin === '[' || begin === '{' ? REPORT_IT : NOT_THE_API
  return new ReadError('the answer is not JSON', { hint, cause })
}

/** Elements that a piece of the text completes; a fault of the text is a failed read. */
function elementsOf(
  parse: () => unknown,
  take: (token: parser.Token) => Json | undefined,
  faultOf: (cause: unknown) => ReadError,
): Json[] {
  const elements: Json[] = []
  try {
    const tokens = parse()
    if (!isMany(tokens)) return elements
    for (const token of getManyValues(tokens) as parser.Token[]) {
      const element = take(token)
      if (element !== undefined) elements.push(element)
    }
  } catch (cause) {
    if (cause instanceof ReadError) throw cause
    if (cause instanceof RangeError) throw new ReadError(`a record is ${cause.message}`, { cause })
    throw faultOf(cause)
  }
  return elements
}

/** Numbers keep the digits of long ids, which doubles lose. */
class DigitsAssembler extends Assembler<Json> {
  override numberValue(digits: string): void {
    // Any value is placed as a string is.
    this.stringValue(toJsonNumber(digits) as never)
  }
}

/** Follows the tokens of one answer: which of them belong to elements, and which surround these. */
function elementReader(list: string | null) {
  const assembler = new DigitsAssembler()
  const members: { [key: string]: Json } = {}
  let state: 'start' | 'envelope' | 'elements' | 'end' = 'start'
  let form: Envelope['form'] | null = null
  let memberKey: string | null = null
  let depthBeside = 0

  function start(token: parser.Token): void {
    if (token.name === 'startArray' && list === null) {
      form = 'array'
      state = 'elements'
    } else if (token.name === 'startObject') {
      state = 'envelope'
    } else {
      const due = list === null ? 'an array' : `an object with "${list}"`
      const seen = token.name === 'startArray' ? 'an array' : 'a single value'
      throw new ReadError(`${seen} where ${due} is due`, { hint: NOT_THE_API })
    }
  }

  function envelope(token: parser.Token): void {
    if (memberKey === null) {
      if (token.name === 'keyValue') memberKey = token.value
      else state = 'end'
      return
    }
    if (assembler.done && depthBeside === 0 && opensElements(token, memberKey)) {
      if (form !== null) throw new ReadError('two lists of elements in one answer')
      form = list === null ? (memberKey as 'value' | 'items') : 'list'
      memberKey = null
      state = 'elements'
      return
    }
    const value = list === null ? build(token) : passOver(token)
    if (value === undefined) return
    const isKept = list === null || Object.keys(members).length < SHOWN_KEYS
    if (isKept && memberKey !== '__proto__') members[memberKey] = value
    memberKey = null
  }

  function opensElements({ name }: parser.Token, key: string): boolean {
    if (list !== null) return key === list && name === 'startArray'
    return (
      ELEMENT_KEYS.includes(key) && (name === 'startArray' || (key === 'items' && name === 'startObject'))
    )
  }

  /** @returns the value when the token completes it, else undefined */
  function build(token: parser.Token): Json | undefined {
    const value = assembler.tapChain(token)
    if (assembler.depth > MAX_NESTING) throw new RangeError(`nested deeper than ${MAX_NESTING} levels`)
    return value === none ? undefined : value
  }

  /** @returns null when the token completes a value beside the list that was asked for, else undefined */
  function passOver({ name }: parser.Token): null | undefined {
    if (name === 'startArray' || name === 'startObject') depthBeside += 1
    else if (name === 'endArray' || name === 'endObject') depthBeside -= 1
    return depthBeside > 0 ? undefined : null
  }

  return {
    take(token: parser.Token): Json | undefined {
      if (state === 'elements') {
        if (!assembler.done) return build(token)
        if (token.name === 'endArray' || token.name === 'endObject')
          state = form === 'array' ? 'end' : 'envelope'
        else if (token.name !== 'keyValue') return build(token)
        return undefined
      }
      if (state === 'start') start(token)
      else envelope(token)
      return undefined
    },
    /** Whether what comes is beside the list that was asked for. */
    isBeside: () => depthBeside > 0,
    end(): Envelope {
      if (form === null) throw notAnArray(members, list)
      return { form, members: list === null ? members : {} }
    },
  }
}

/** The message about an answer that is not what was asked for names this many of its keys. */
const SHOWN_KEYS = 5

const PLAIN_NAME = /^[@_a-z][a-z_.]{0,39}$/i

/** Names the keys that came instead, never their values: an error's text may repeat what was sent. */
function notAnArray(members: JsonObject, list: string | null): ReadError {
  const keys = Object.keys(members)
    .slice(0, SHOWN_KEYS)
    // Any other key may be a value: an e-mail address, or an id, which has digits as a rule.
    .map((key) => (PLAIN_NAME.test(key) ? `"${key}"` : 'a key that is no plain name'))
  const due = list === null ? 'where an array is due' : `without a list "${list}"`
  const what = keys.length === 0 ? 'an empty object' : `an object ${due}: ${keys.join(', ')}`
  return new ReadError(what, { hint: NOT_THE_API })
}
