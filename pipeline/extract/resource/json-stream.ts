import { getManyValues, isMany, none } from 'stream-chain/defs.js'
import type { parser } from 'stream-json'
import { Assembler } from 'stream-json/assembler.js'
import { jsonParser } from 'stream-json/parser.js'
import { type Json, type JsonObject, toJsonNumber } from '../../../transforms/rules/values.ts'
import { NOT_THE_API, REPORT_IT, ReadError } from '../../http/read-error.ts'
import { messageOf } from '../../runtime/message-of.ts'
import { isStatement } from '../../sources/contract/said.ts'
import { LargeRecord, MOST_CHARACTERS } from './large-record.ts'

export interface Envelope {
  /** `array`: a bare array; `list`: the list that was asked for; else the key of the object that held the elements. */
  readonly form: 'array' | 'value' | 'items' | 'list'
  /** The object's other members; if one list was asked for, only those that say something about it; none for a bare array. */
  readonly members: JsonObject
}

/** Keys under which an answer that is an object may hold its elements. */
const ELEMENT_KEYS = ['value', 'items']

/** Deeper values would cost memory and stack to print; no source nests further than ten. */
export const MAX_NESTING = 64

/**
 * Texts come in pieces, so that one of any size can be passed over. Keys and numbers come whole: in pieces they would cost time, and none
 * is long.
 */
const PIECES = { streamKeys: false, streamNumbers: false, packStrings: false }

/**
 * Reads an answer element by element; it never holds more than one chunk and one element. Of an element that is too large it keeps
 * the short members alone.
 *
 * Accepts `[…]`, `{"value":[…]}`, `{"items":[…]}` and `{"items":{"<id>":…}}`. Everything else is a failed read.
 *
 * @param body the answer, decompressed
 * @param maxRecordBytes largest size of one element (and of all that surrounds the elements)
 * @param list the key of an object, under which the elements are: what is next to it is passed over, no matter what its size
 * @returns the envelope, when the answer has ended
 * @throws ReadError
 */
export async function* readElements(
  body: AsyncIterable<Uint8Array>,
  maxRecordBytes: number,
  list: string | null = null,
): AsyncGenerator<readonly (Json | LargeRecord)[], Envelope> {
  const text = textReader()
  // The types leave out `none`, which tells a parser that the text has ended.
  const parse = jsonParser(PIECES) as (text: string | typeof none) => unknown
  const reader = elementReader(list)
  const faultOf = (cause: unknown) => faultOfText(cause, text.seen())
  let bytesSinceElement = 0

  for await (const chunk of body) {
    const elements = elementsOf(() => parse(text.next(chunk)), reader.take, faultOf)
    bytesSinceElement = elements.length > 0 || reader.isBeside() ? 0 : bytesSinceElement + chunk.length
    if (bytesSinceElement > maxRecordBytes) {
      if (!reader.passOverElement()) {
        throw new ReadError(`a record is larger than http.maxRecordBytes (${maxRecordBytes})`, {
          hint: 'raise the limit if records may be that large',
        })
      }
      bytesSinceElement = 0
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

type Take = (token: parser.Token) => Json | LargeRecord | undefined

/** Elements that a piece of the text completes; a fault of the text is a failed read. */
function elementsOf(
  parse: () => unknown,
  take: Take,
  faultOf: (cause: unknown) => ReadError,
): (Json | LargeRecord)[] {
  const elements: (Json | LargeRecord)[] = []
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

/** Joins the pieces of texts. Numbers keep the digits of long ids, which doubles lose. */
class PieceAssembler extends Assembler<Json> {
  /** The part of a text that was read so far; empty outside of a text. */
  text = ''
  isInText = false

  /** @returns the value if the token completes it, else undefined */
  take(token: parser.Token): Json | undefined {
    switch (token.name) {
      case 'startString':
        this.isInText = true
        return undefined
      case 'stringChunk':
        this.text += token.value
        return undefined
      case 'endString':
        this.stringValue(this.text)
        this.text = ''
        this.isInText = false
        break
      case 'startObject':
      case 'startArray':
        this.consume(token)
        if (this.depth > MAX_NESTING) throw new RangeError(`nested deeper than ${MAX_NESTING} levels`)
        return undefined
      default:
        this.consume(token)
    }
    return this.done ? this.current : undefined
  }

  /** Gives up the value that has begun. @returns the part that was read, and the key of the member that was being read */
  giveUp(): {
    readonly root: Json
    readonly depth: number
    readonly key: string | null
    readonly text: string
  } {
    const { depth, text, stack, current } = this
    // The stack has each value around the current one, and the key under which the next will be.
    const [root, key] = stack.length > 0 ? stack : depth > 0 ? [current, this.key] : [null, null]
    this.dropToLevel(0)
    this.text = ''
    this.isInText = false
    return { root: root as Json, key: key as string | null, depth, text }
  }

  override numberValue(digits: string): void {
    // Any value is placed as a string is.
    this.stringValue(toJsonNumber(digits) as never)
  }
}

/** Follows the rest of an element that is too large, and keeps what is short of it. */
class PassedOver {
  readonly #large: LargeRecord
  #depth: number
  #key: string | null
  #text: string
  #hasMoved = true

  constructor({ root, depth, key, text }: ReturnType<PieceAssembler['giveUp']>) {
    this.#large = LargeRecord.of(root)
    if (depth > 1 && key !== null) this.#large.keep(key, [])
    this.#depth = depth
    this.#key = key
    this.#text = text.slice(0, MOST_CHARACTERS)
  }

  /** Returns whether a token came since the last call: a single key or number without an end would fill the memory. */
  hasMoved(): boolean {
    const hasMoved = this.#hasMoved
    this.#hasMoved = false
    return hasMoved
  }

  /** @returns the record if the token is its last, else undefined */
  take(token: parser.Token): LargeRecord | undefined {
    this.#hasMoved = true
    switch (token.name) {
      case 'keyValue':
        if (this.#depth === 1) this.#key = token.value
        return undefined
      case 'startString':
        this.#text = ''
        return undefined
      case 'stringChunk':
        if (this.#text.length < MOST_CHARACTERS) this.#text += token.value
        return undefined
      case 'endString':
        this.#keep(this.#text)
        break
      case 'numberValue':
        this.#keep(toJsonNumber(token.value))
        break
      case 'startObject':
      case 'startArray':
        this.#keep([])
        this.#depth += 1
        return undefined
      case 'endObject':
      case 'endArray':
        this.#depth -= 1
        break
      default:
        if ('value' in token) this.#keep(token.value)
    }
    return this.#depth === 0 ? this.#large : undefined
  }

  #keep(value: Json): void {
    if (this.#depth === 1 && this.#key !== null) this.#large.keep(this.#key, value)
  }
}

/** Follows the tokens of one answer: which of them belong to elements, and which surround these. */
function elementReader(list: string | null) {
  const assembler = new PieceAssembler()
  const members: { [key: string]: Json } = {}
  const keys: string[] = []
  let state: 'start' | 'envelope' | 'elements' | 'end' = 'start'
  let form: Envelope['form'] | null = null
  let memberKey: string | null = null
  let depthBeside = 0
  let isKept = true
  let passedOver: PassedOver | null = null

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
    const isFirst = assembler.done && !assembler.isInText && depthBeside === 0
    if (isFirst && opensElements(token, memberKey)) {
      if (form !== null) throw new ReadError('two lists of elements in one answer')
      form = list === null ? (memberKey as 'value' | 'items') : 'list'
      memberKey = null
      state = 'elements'
      return
    }
    if (isFirst) isKept = list === null || isStatement(memberKey, list, token.name === 'startArray')
    const value = isKept ? assembler.take(token) : passOver(token)
    if (value === undefined) return
    if (keys.length < SHOWN_KEYS) keys.push(memberKey)
    if (isKept && memberKey !== '__proto__') members[memberKey] = value
    memberKey = null
  }

  function opensElements({ name }: parser.Token, key: string): boolean {
    if (list !== null) return key === list && name === 'startArray'
    return (
      ELEMENT_KEYS.includes(key) && (name === 'startArray' || (key === 'items' && name === 'startObject'))
    )
  }

  /** @returns null when the token completes a value beside the list that was asked for, else undefined */
  function passOver({ name }: parser.Token): null | undefined {
    if (name === 'startString' || name === 'stringChunk') return undefined
    if (name === 'startArray' || name === 'startObject') depthBeside += 1
    else if (name === 'endArray' || name === 'endObject') depthBeside -= 1
    return depthBeside > 0 ? undefined : null
  }

  function element(token: parser.Token): Json | LargeRecord | undefined {
    if (passedOver !== null) {
      const large = passedOver.take(token)
      if (large !== undefined) passedOver = null
      return large
    }
    if (!assembler.done) return assembler.take(token)
    if (token.name === 'endArray' || token.name === 'endObject') state = form === 'array' ? 'end' : 'envelope'
    else if (token.name !== 'keyValue') return assembler.take(token)
    return undefined
  }

  return {
    take(token: parser.Token): Json | LargeRecord | undefined {
      if (state === 'elements') return element(token)
      if (state === 'start') start(token)
      else envelope(token)
      return undefined
    },
    /** True if what comes is beside the list that was asked for. */
    isBeside: () => depthBeside > 0,
    /** Passes over the element that has begun. @returns false if there is none, or if it does not go on */
    passOverElement(): boolean {
      if (passedOver === null) {
        if (state !== 'elements' || (assembler.done && !assembler.isInText)) return false
        passedOver = new PassedOver(assembler.giveUp())
      }
      return passedOver.hasMoved()
    },
    end(): Envelope {
      if (form === null) throw notAnArray(keys, list)
      return { form, members }
    },
  }
}

/** The message about an answer that is not what was asked for names this many of its keys. */
const SHOWN_KEYS = 5

const PLAIN_NAME = /^[@_a-z][a-z_.]{0,39}$/i

/** Names the keys that came instead, never their values: an error's text may repeat what was sent. */
function notAnArray(keys: readonly string[], list: string | null): ReadError {
  // Any other key may be a value: an e-mail address, or an id, which has digits as a rule.
  const names = keys.map((key) => (PLAIN_NAME.test(key) ? `"${key}"` : 'a key that is no plain name'))
  const due = list === null ? 'where an array is due' : `without a list "${list}"`
  const what = names.length === 0 ? 'an empty object' : `an object ${due}: ${names.join(', ')}`
  return new ReadError(what, { hint: NOT_THE_API })
}
