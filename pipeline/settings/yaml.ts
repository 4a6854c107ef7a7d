import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  parseDocument,
  Scalar,
  visit,
} from 'yaml'
import type { ConfigProblem } from './errors.ts'

/** A YAML file as plain values, with the line of each value. */
export interface ParsedYaml {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
  /** True if `value` is usable. A repeated key does not make it unusable. */
  readonly readable: boolean
  /**
   * Returns the position of a key or list element; if it does not exist, the position of its nearest parent.
   */
  positionOf(path: readonly PropertyKey[]): Place
}

/** Parses YAML. @param keysOfText keys for which numbers stay the text of the file */
export function parseYaml(text: string, keysOfText: ReadonlySet<string>): ParsedYaml {
  const deep = placeTooDeep(text)
  if (deep !== null) return tooDeep(deep)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const positionAt = (offset: number) => placeAt(lines, offset)
  const duplicates: ConfigProblem[] = []
  const faults: ConfigProblem[] = []
  for (const { code, pos } of [...document.errors, ...document.warnings]) {
    if (code === 'DUPLICATE_KEY') {
      const key = /^["']?([A-Za-z_][\w-]*)/.exec(text.slice(pos[0]))?.[1] ?? 'a key'
      const message = `${key} appears twice in this mapping; keep one`
      duplicates.push({ path: '', ...positionAt(pos[0]), message })
    } else {
      faults.push({ path: '', ...positionAt(pos[0]), message: wordsOf[code] ?? 'this is not valid YAML' })
    }
  }
  for (const offset of danglingAliases(document)) {
    faults.push({ path: '', ...positionAt(offset), message: danglingAlias })
  }
  const unusable = takeUnusableKeys(document).map(
    (offset): ConfigProblem => ({ path: '', ...positionAt(offset), message: unusableKey }),
  )
  keepDigits(document, keysOfText)
  const { value, fault } = toPlainValue(document, faults.length === 0)
  if (fault !== undefined) faults.push({ path: '', line: 1, column: 1, message: fault })
  return {
    value,
    problems: [...duplicates, ...unusable, ...firstOfEachLine(faults)],
    readable: faults.length === 0,
    positionOf: (path) => positionAt(offsetOf(document, path)),
  }
}

/**
 * Most levels of nesting. No configuration needs more. The functions that read the values recurse for each
 * level.
 */
const MOST_LEVELS = 100

/** Finds the position of a list or mapping that is nested too deeply; null if there is none. */
function placeTooDeep(text: string): Place | null {
  const lines = new LineCounter()
  const left: { readonly token: CST.Token | null | undefined; readonly level: number }[] = []
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    left.push({ token, level: 0 })
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const { token, level } = one
      if (token === null || token === undefined) continue
      if (level > MOST_LEVELS) return placeAt(lines, token.offset)
      if (token.type === 'document') left.push({ token: token.value, level })
      else if ('items' in token)
        for (const { key, value } of token.items)
          left.push({ token: key, level: level + 1 }, { token: value, level: level + 1 })
    }
  }
  return null
}

interface Place {
  readonly line: number
  readonly column: number
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

function tooDeep(place: Place): ParsedYaml {
  const message = `lists and mappings are nested in more than ${MOST_LEVELS} levels`
  return {
    value: null,
    problems: [{ path: '', ...place, message }],
    readable: false,
    positionOf: () => place,
  }
}

function toPlainValue(document: Document, readable: boolean): { value?: unknown; fault?: string } {
  if (!readable) return {}
  try {
    return { value: document.toJS() }
  } catch {
    // yaml refuses a file with exponentially nested aliases. Its message is not used, because it may quote
    // the file.
    return { fault: 'the aliases (*name) of this file cannot be resolved' }
  }
}

/** Replaces numbers under these keys, written there or in an alias, by the text of the file. */
function keepDigits(document: Document, keysOfText: ReadonlySet<string>): void {
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || typeof pair.key.value !== 'string' || !keysOfText.has(pair.key.value)) return
      const written = isAlias(pair.value) ? pair.value.resolve(document) : pair.value
      if (!isScalar(written) || typeof written.value !== 'number' || written.source === undefined) return
      const kept = new Scalar(written.source)
      if (isScalar(pair.value) && pair.value.anchor !== undefined) kept.anchor = pair.value.anchor
      pair.value = kept
    },
  })
}

/**
 * Removes keys that zod would skip silently, so that a rule would exclude more than it says. Returns their
 * offsets.
 */
function takeUnusableKeys(document: Document): number[] {
  const offsets: number[] = []
  visit(document, {
    Pair(_, { key }) {
      const written = isAlias(key) ? key.resolve(document) : key
      if (!isScalar(written) || written.value !== '__proto__') return
      offsets.push((isScalar(key) || isAlias(key) ? key.range?.[0] : undefined) ?? 0)
      return visit.REMOVE
    },
  })
  return offsets
}

function danglingAliases(document: Document): number[] {
  const offsets: number[] = []
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined) offsets.push(alias.range?.[0] ?? 0)
    },
  })
  return offsets
}

/**
 * Returns the first error of each line. One mistake causes several errors of the parser, and the first names
 * the cause.
 */
function firstOfEachLine(faults: readonly ConfigProblem[]): ConfigProblem[] {
  const sorted = faults.toSorted((a, b) => a.line - b.line || a.column - b.column)
  return sorted.filter(({ line }, index) => sorted[index - 1]?.line !== line)
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  for (const segment of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment)
      if (pair === undefined) break
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof segment === 'number') {
      const element = node.items[segment]
      if (!isScalar(element) && !isMap(element) && !isSeq(element) && !isAlias(element)) break
      offset = element.range?.[0] ?? offset
      node = element
    } else break
  }
  return offset
}

const unusableKey = '__proto__ cannot be a key; rename it or take it away'
const danglingAlias =
  'a value that begins with * refers to an anchor (&name) that does not exist; put quotation marks around the value'

// Messages for error codes. Those of the yaml package are not used, because they quote the file, which may
// contain a secret.
const wordsOf: Readonly<Record<string, string>> = {
  BAD_ALIAS: danglingAlias,
  BAD_DQ_ESCAPE:
    'the escape after a backslash is unknown; write two backslashes, or use single quotation marks',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_SCALAR_START: 'a value may not begin with this character; put quotation marks around the value',
  BLOCK_AS_IMPLICIT_KEY: 'the indentation is wrong, or there is a second colon; quote values with a colon',
  BLOCK_IN_FLOW: 'a list or mapping with dashes or indentation is not allowed within brackets',
  MISSING_CHAR: 'a colon with a space after it, a quotation mark, a comma or a bracket is missing',
  MULTILINE_IMPLICIT_KEY: 'the indentation is wrong, or a colon has no space after it',
  MULTIPLE_DOCS: 'a second document begins here; one file holds one configuration',
  TAB_AS_INDENT: 'a tab is in the indentation; YAML allows only spaces there',
  TAG_RESOLVE_FAILED: 'tags (!name) are not supported; remove it',
  UNEXPECTED_TOKEN: 'unexpected text; check quotation marks, brackets and indentation',
}
