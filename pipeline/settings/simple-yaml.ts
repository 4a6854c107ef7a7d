/**
 * Reads the part of YAML that nearly all configurations use, in a tenth of the time that the package yaml
 * takes. The package keeps the position of every value, which only messages about mistakes need.
 *
 * The reader knows mappings and lists in blocks, mappings and lists in brackets on one line, comments, texts
 * on one line without escapes, numbers, true, false and null. A text with anything else, or with a mistake, is
 * left to the package yaml. The reader must never read a text in another way than the package does.
 */

/** Deeper values are left to the package yaml, which reports values that are nested too deeply. */
const MOST_LEVELS = 50

const UNUSUAL_CHARACTERS = /[^\n -~\u00a0-\u2027\u202a-\ufefe\uff00-\uffff]/
const BLANK_LINES = /(?: *(?:#.*)?\n)*/y
const END_OF_LINE = /(?: *| +#.*)(?=\n)/y
const SPACES = / */y
const DASH = /- +(?=[^ #\n])/y
const KEY = /[A-Za-z_][\w-]{0,99}(?=:[ \n])/y
const QUOTED_KEY = /"[A-Za-z_][\w-]{0,99}"(?=:)/y
const QUOTED = /"[^"\\\n]*"|'[^'\n]*'(?!')/y
const PLAIN = /(?:-(?=[0-9])|[A-Za-z0-9_./])[^\n: ]*(?:(?::(?=[^\n ])| +(?=[^\n: #]))[^\n: ]*)*/y
const PLAIN_IN_BRACKETS =
  /(?:-(?=[0-9])|[A-Za-z0-9_./])[^\n: ,[\]{}#]*(?:(?::(?=[^\n ,[\]{}])| +(?=[^\n: ,[\]{}#]))[^\n: ,[\]{}#]*)*/y

const NUMBER = /^-?[0-9]{1,15}(?:\.[0-9]{0,15})?$/
/** Numbers in another form, and texts that begin like such a number. */
const LIKE_NUMBER = /^(?:-?[0-9.]+(?:$|[Ee])|0[ox]|\.[0-9INin])/
const WORDS: ReadonlyMap<string, unknown> = new Map(
  Object.entries({ null: null, Null: null, NULL: null, true: true, True: true, TRUE: true }).concat(
    Object.entries({ false: false, False: false, FALSE: false }),
  ),
)

/** Thrown at the first thing that is left to the package yaml, and caught in this file. */
class NotSimple extends Error {}

/**
 * Reads a mapping or list. Returns undefined if the text has anything that this reader does not know.
 *
 * @param keysOfText keys whose numbers become the text that the file has
 */
export function readSimpleYaml(text: string, keysOfText: ReadonlySet<string>): object | undefined {
  const lines = `${text.replaceAll('\r\n', '\n')}\n`
  if (UNUSUAL_CHARACTERS.test(lines)) return undefined
  try {
    return new SimpleReader(lines, keysOfText).document()
  } catch (error) {
    if (error instanceof NotSimple) return undefined
    throw error
  }
}

class SimpleReader {
  /** Ends with a line feed. */
  readonly #text: string
  readonly #keysOfText: ReadonlySet<string>
  #at = 0
  /** Number of spaces before the text of the current line; -1 after the last line. */
  #indentation = 0

  constructor(text: string, keysOfText: ReadonlySet<string>) {
    this.#text = text
    this.#keysOfText = keysOfText
  }

  document(): object {
    this.#toNextLine()
    if (this.#indentation !== 0) throw new NotSimple()
    const value = this.#isNext('[') || this.#isNext('{') ? this.#restOfLine() : this.#block(0, 0)
    if (this.#at < this.#text.length || typeof value !== 'object' || value === null) throw new NotSimple()
    return value
  }

  /** Reads a list or mapping whose elements or keys all begin in the same column. */
  #block(column: number, level: number): unknown {
    return this.#matches(DASH) ? this.#list(column, level) : this.#mapping(column, level)
  }

  #list(column: number, level: number): unknown {
    const list: unknown[] = []
    do {
      const inner = column + this.#take(DASH).length
      const isBlock = this.#matches(KEY) || this.#matches(DASH)
      list.push(isBlock ? this.#block(inner, nextLevel(level)) : this.#restOfLine())
    } while (this.#indentation === column && this.#matches(DASH))
    if (this.#indentation > column) throw new NotSimple()
    return list
  }

  #mapping(column: number, level: number): unknown {
    const mapping: Record<string, unknown> = {}
    do {
      const key = this.#newKey(mapping, false)
      mapping[key] = this.#valueOfKey(key, column, level)
    } while (this.#indentation === column)
    if (this.#indentation > column) throw new NotSimple()
    return mapping
  }

  #valueOfKey(key: string, column: number, level: number): unknown {
    if (!this.#skips(END_OF_LINE)) {
      this.#skip(SPACES)
      return this.#restOfLine(key)
    }
    this.#toNextLine()
    const isNested = this.#indentation > column
    // The dashes of a list may be in the column of its key.
    if (isNested || (this.#indentation === column && this.#matches(DASH)))
      return this.#block(this.#indentation, nextLevel(level))
    return null
  }

  /** Reads a value that ends at the end of the current line. */
  #restOfLine(key?: string): unknown {
    const value = this.#value(PLAIN, 0, key)
    this.#skip(END_OF_LINE)
    this.#toNextLine()
    return value
  }

  #value(plain: RegExp, level: number, key?: string): unknown {
    if (this.#isNext('[')) return this.#listInBrackets(nextLevel(level))
    if (this.#isNext('{')) return this.#mappingInBraces(nextLevel(level))
    return this.#matches(QUOTED) ? this.#take(QUOTED).slice(1, -1) : this.#scalar(this.#take(plain), key)
  }

  #listInBrackets(level: number): unknown {
    const list: unknown[] = []
    for (this.#open(); !this.#closes(']'); this.#separate(']'))
      list.push(this.#value(PLAIN_IN_BRACKETS, level))
    return list
  }

  #mappingInBraces(level: number): unknown {
    const mapping: Record<string, unknown> = {}
    for (this.#open(); !this.#closes('}'); this.#separate('}')) {
      const key = this.#newKey(mapping, true)
      this.#skip(SPACES)
      mapping[key] = this.#value(PLAIN_IN_BRACKETS, level, key)
    }
    return mapping
  }

  #open(): void {
    this.#at += 1
    this.#skip(SPACES)
  }

  #closes(end: string): boolean {
    if (!this.#isNext(end)) return false
    this.#at += 1
    return true
  }

  /** Skips the comma after an element, which may be left out before the end. */
  #separate(end: string): void {
    this.#skip(SPACES)
    if (this.#isNext(',')) this.#open()
    else if (!this.#isNext(end)) throw new NotSimple()
  }

  /** Reads a key and its colon. */
  #newKey(mapping: object, isInBraces: boolean): string {
    const isQuoted = isInBraces && this.#isNext('"')
    const key = isQuoted ? this.#take(QUOTED_KEY).slice(1, -1) : this.#take(KEY)
    if (key === '__proto__' || WORDS.has(key) || Object.hasOwn(mapping, key)) throw new NotSimple()
    this.#at += 1
    return key
  }

  #scalar(written: string, key: string | undefined): unknown {
    // Every number begins with a character that comes before the colon.
    if (written > ':') return WORDS.has(written) ? WORDS.get(written) : written
    if (NUMBER.test(written))
      return key !== undefined && this.#keysOfText.has(key) ? written : Number(written)
    if (LIKE_NUMBER.test(written)) throw new NotSimple()
    return written
  }

  #toNextLine(): void {
    this.#skip(BLANK_LINES)
    const spaces = this.#take(SPACES).length
    this.#indentation = this.#at < this.#text.length ? spaces : -1
  }

  #isNext(character: string): boolean {
    return this.#text[this.#at] === character
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  #skips(pattern: RegExp): boolean {
    if (!this.#matches(pattern)) return false
    this.#at = pattern.lastIndex
    return true
  }

  #skip(pattern: RegExp): void {
    if (!this.#skips(pattern)) throw new NotSimple()
  }

  #take(pattern: RegExp): string {
    const from = this.#at
    this.#skip(pattern)
    return this.#text.slice(from, this.#at)
  }
}

function nextLevel(level: number): number {
  if (level === MOST_LEVELS) throw new NotSimple()
  return level + 1
}
