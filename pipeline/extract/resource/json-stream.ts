import { getManyValues, isMany, none } from 'stream-chain/defs.js'
import type { parser } from 'stream-json'
import { Assembler } from 'stream-json/assembler.js'
import { jsonParser } from 'stream-json/parser.js'
import { type Json, type JsonObject, toJsonNumber } from '../../../transforms/rules/values.ts'
import { NOT_THE_API, REPORT_IT, ReadError } from '../../http/read-error.ts'
import { messageOf } from '../../runtime/message-of.ts'
import { isStatement } from '../../sources/contract/said.ts'
import { LargeRecord, MOST_CHARACTERS } from './large-record.ts'
import { cutObjects } from './whole-objects.ts'

export interface Envelope {
  /**
   * Form of the answer. `array`: the whole answer is a JSON array. `list`: the requested list is a member of
   * an object. If the elements are under another key of an object, the form is this key.
   */
  readonly form: 'array' | 'value' | 'items' | 'list'
  /**
   * The members of the answer's object besides the elements. If a list was requested, only members that
   * describe this list. The members are empty if the answer is an array.
   */
  readonly members: JsonObject
}

/** Keys of an object under which the elements of the answer may be. */
const ELEMENT_KEYS = ['value', 'items']

/**
 * Maximum nesting depth of an element. Deeper values would cost memory and overflow the stack when they are
 * printed. No known source nests deeper than ten levels.
 */
export const MAX_NESTING = 64

/**
 * The parser returns strings in pieces, so that a string of any length can be skipped. The parser returns
 * keys and numbers as a whole, because they are short and pieces would take more time.
 */
const PIECES = { streamKeys: false, streamNumbers: false, packStrings: false }

/**
 * Reads an answer element by element. At most one chunk of the answer and one element are in memory. If an
 * element is too large, only its short members are kept.
 *
 * The accepted forms are `[…]`, `{"value":[…]}`, `{"items":[…]}` and `{"items":{"<id>":…}}`. Any other form
 * of the answer makes the read fail.
 *
 * @param body the decompressed answer
 * @param maxRecordBytes maximum size of one element, and of everything around the elements
 * @param list key of the list if the answer is an object with several lists; other lists are skipped,
 *   whatever their size
 * @returns the members around the elements, at the end of the answer
 * @throws ReadError if the answer is malformed
 */
export async function* readElements(
  body: AsyncIterable<Uint8Array>,
  maxRecordBytes: number,
  list: string | null = null,
): AsyncGenerator<readonly (Json | LargeRecord)[], Envelope> {
  const text = textReader()
  // The value `none` tells the parser that the text has ended. The TypeScript types of the parser do not
  // include `none`.
  const parser = jsonParser(PIECES) as (text: string | typeof none) => unknown
  const reader = elementReader(list)
  let begun = ''
  let bytesSinceElement = 0

  function parse(piece: string | typeof none): readonly parser.Token[] {
    const tokens = parser(piece)
    return isMany(tokens) ? (getManyValues(tokens) as parser.Token[]) : []
  }

  /** Parses a piece of the answer; the objects of the list are first cut out of it. */
  function* parseAround(piece: string): Generator<readonly parser.Token[]> {
    const before = reader.isInList() ? 0 : piece.indexOf('[') + 1
    yield parse(piece.slice(0, before))
    if (!reader.isBetweenElements()) return yield parse(piece.slice(before))
    const cut = cutObjects(begun + piece.slice(before), MAX_NESTING)
    begun = cut.begun
    reader.replaceByObjects(cut.objects)
    yield parse(cut.text)
  }

  function* parseBegun(): Generator<readonly parser.Token[]> {
    const left = begun
    begun = ''
    yield parse(left)
  }

  /** Returns the elements that end in a piece of the text. @throws ReadError if the text is malformed */
  function elementsOf(pieces: () => Iterable<readonly parser.Token[]>): readonly (Json | LargeRecord)[] {
    const elements: (Json | LargeRecord)[] = []
    try {
      for (const tokens of pieces()) {
        for (const token of tokens) {
          const element = reader.take(token)
          if (element !== undefined) elements.push(element)
        }
      }
    } catch (cause) {
      if (cause instanceof ReadError) throw cause
      if (cause instanceof RangeError) throw new ReadError(`a record is ${cause.message}`, { cause })
      throw faultOfText(cause, text.seen())
    }
    return elements
  }

  for await (const chunk of body) {
    const elements = elementsOf(() => parseAround(text.next(chunk)))
    bytesSinceElement = elements.length > 0 || reader.isBeside() ? 0 : bytesSinceElement + chunk.length
    if (bytesSinceElement > maxRecordBytes) {
      elementsOf(parseBegun)
      if (!reader.passOverElement()) {
        throw new ReadError(`a record is larger than http.maxRecordBytes (${maxRecordBytes})`, {
          hint: 'raise the limit if records may be that large',
        })
      }
      bytesSinceElement = 0
    }
    if (elements.length > 0) yield elements
  }
  for (const rest of [parseBegun, () => [parse(text.end())], () => [parse(none)]]) {
    const elements = elementsOf(rest)
    if (elements.length > 0) yield elements
  }
  return reader.end()
}

/** The beginning and the end of the text that was read so far. */
interface SeenText {
  /** The first two bytes of the text, which reveal UTF-16. */
  readonly first: readonly number[]
  /** The first character that is not a blank; empty if the text has only blanks. */
  readonly begin: string
  readonly end: string
  readonly hasEnded: boolean
}

/** Decodes an answer as UTF-8, and remembers its beginning and its end. */
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
 * Makes the error for a text that is not valid JSON. A request is retried only if the answer was empty or cut
 * off, or was a web page of a server in between. A complete but malformed answer would come again.
 */
function faultOfText(cause: unknown, { first, begin, end, hasEnded }: SeenText): ReadError {
  const [byte = 0] = first
  const isUtf16 = first.includes(0) || byte >= 0xfe
  if (isUtf16 || (cause instanceof TypeError && !hasEnded)) {
    const what = `the answer is not UTF-8${isUtf16 ? ' but UTF-16' : ''}`
    return new ReadError(what, { hint: `JSON must be UTF-8; ${REPORT_IT}`, cause })
  }
  if (begin === '') return new ReadError('the answer is empty', { retryable: true, hint: NOT_THE_API, cause })
  // The parser reports a control character or a wrong escape in a string only at the end of the answer.
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

/**
 * Joins the pieces of strings to values. Numbers keep all digits, because double-precision numbers would lose
 * digits of long ids.
 */
class PieceAssembler extends Assembler<Json> {
  /** The part of the current string that was read so far; empty outside a string. */
  text = ''
  isInText = false

  /** Processes one token of the parser. @returns the value if the token completes it, otherwise undefined */
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

  /**
   * Drops the unfinished value.
   *
   * @returns the part of the value that was read, and the key of the unfinished member
   */
  giveUp(): {
    readonly root: Json
    readonly depth: number
    readonly key: string | null
    readonly text: string
  } {
    const { depth, text, stack, current } = this
    // The stack contains each value around the current value, and the key of the next value in it.
    const [root, key] = stack.length > 0 ? stack : depth > 0 ? [current, this.key] : [null, null]
    this.dropToLevel(0)
    this.text = ''
    this.isInText = false
    return { root: root as Json, key: key as string | null, depth, text }
  }

  override numberValue(digits: string): void {
    // `stringValue` of the parent class stores any value that it receives, so it can also store a number.
    this.stringValue(toJsonNumber(digits) as never)
  }
}

/** Skips the rest of an element that is too large, and keeps its short members. */
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

  /**
   * Returns true if the reader received a token after the last call. If no token came, the piece is a key or
   * number without an end, which would fill the memory.
   */
  hasMoved(): boolean {
    const hasMoved = this.#hasMoved
    this.#hasMoved = false
    return hasMoved
  }

  /**
   * Processes one token of the parser.
   *
   * @returns the record if the token is its last token, otherwise undefined
   */
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

/** Distinguishes the tokens that belong to elements of an answer from the tokens around the elements. */
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
  let isArray = false
  const objects: JsonObject[] = []

  function start(token: parser.Token): void {
    if (token.name === 'startArray' && list === null) {
      form = 'array'
      state = 'elements'
      isArray = true
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
      isArray = token.name === 'startArray'
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

  /**
   * Skips a token that is outside the requested list.
   *
   * @returns null if the token completes a value, otherwise undefined
   */
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
    if (token.name === 'nullValue' && objects.length > 0) return objects.shift()
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
    /** Returns true if the elements of the list have begun and have not ended. */
    isInList: () => state === 'elements',
    /** Returns true if the next token is an element of an array, or is between its elements. */
    isBetweenElements: () =>
      state === 'elements' && isArray && assembler.done && !assembler.isInText && passedOver === null,
    /** Returns each of these objects as an element in place of one of the next nulls. */
    replaceByObjects: (next: readonly JsonObject[]) => void objects.push(...next),
    /** Returns true if the current token is outside the requested list. */
    isBeside: () => depthBeside > 0,
    /**
     * Skips the rest of the current element.
     *
     * @returns false if there is no current element, or if no token came since the last call
     */
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

/** Maximum number of keys that the error message about an unexpected answer names. */
const SHOWN_KEYS = 5

const PLAIN_NAME = /^[@_a-z][a-z_.]{0,39}$/i

/**
 * Makes an error that names the keys of the unexpected answer. The error never shows values, because these
 * may repeat secrets of the request.
 */
function notAnArray(keys: readonly string[], list: string | null): ReadError {
  // A key that is not a plain name may be personal data, such as an e-mail address or an id.
  const names = keys.map((key) => (PLAIN_NAME.test(key) ? `"${key}"` : 'a key that is no plain name'))
  const due = list === null ? 'where an array is due' : `without a list "${list}"`
  const what = names.length === 0 ? 'an empty object' : `an object ${due}: ${names.join(', ')}`
  return new ReadError(what, { hint: NOT_THE_API })
}
