import {
  Composer,
  type CST,
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import type { ConfigProblem, Position } from './errors.ts'
import { readSimpleYaml } from './simple-yaml.ts'

/** A YAML mapping as a plain value. */
export type Mapping = Readonly<Record<string, unknown>>

/** Returns true for a mapping, and false for a list, null or a single value. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value that is a mapping. For any other value the result is an empty mapping. */
export function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {}
}

/** A mistake in a YAML file. */
type YamlProblem = Omit<ConfigProblem, 'file'>

/** A YAML file as plain values. The line of each value is known. */
export interface ParsedYaml {
  readonly value: unknown
  readonly problems: readonly YamlProblem[]
  /**
   * True if the value of a parsed file can be used. A file in which a key appears twice can still be used.
   */
  readonly readable: boolean
  /**
   * Returns the position of a key or list element. If that does not exist, returns the position of its
   * nearest parent.
   */
  positionOf(path: readonly PropertyKey[]): Position
}

/**
 * Maximum number of copies of one value that YAML aliases may make. A long list of integrations may repeat
 * one mapping up to this number of times. Only aliases that contain other aliases make more copies than this.
 */
const MOST_COPIES = 10_000

/**
 * Parses YAML, including merge keys (`<<`). A text without mistakes is parsed by the package yaml only if the
 * simple reader does not know its form, or if a position is asked for.
 *
 * @param keysOfText keys whose numbers become the text that the file has
 */
export function parseYaml(text: string, keysOfText: ReadonlySet<string>): ParsedYaml {
  const value = readSimpleYaml(text, keysOfText)
  if (value === undefined) return parseWithPositions(text, keysOfText)
  let parsed: ParsedYaml | null = null
  const positionOf: ParsedYaml['positionOf'] = (path) => {
    parsed ??= parseWithPositions(text, keysOfText)
    return parsed.positionOf(path)
  }
  return { value, problems: [], readable: true, positionOf }
}

/** Parses YAML with the package yaml, which keeps the position of every value. */
export function parseWithPositions(text: string, keysOfText: ReadonlySet<string>): ParsedYaml {
  const lines = new LineCounter()
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  const deep = placeTooDeep(tokens, lines)
  if (deep !== null) return tooDeep(deep)
  const composer = new Composer({ merge: true, prettyErrors: false, logLevel: 'error' })
  const [document = new Document(), second] = composer.compose(tokens, true, text.length)
  const positionAt = (offset: number) => placeAt(lines, offset)
  const duplicates: YamlProblem[] = []
  const faults: YamlProblem[] = []
  for (const { code, pos } of [...document.errors, ...document.warnings]) {
    if (code === 'DUPLICATE_KEY') {
      const key = /^["']?([A-Za-z_][\w-]*)/.exec(text.slice(pos[0]))?.[1] ?? 'a key'
      const message = `${key} appears twice in this mapping; keep one`
      duplicates.push({ path: '', ...positionAt(pos[0]), message })
    } else {
      faults.push({ path: '', ...positionAt(pos[0]), message: wordsOf[code] ?? 'this is not valid YAML' })
    }
  }
  if (second !== undefined)
    faults.push({ path: '', ...positionAt(second.range[0]), message: severalDocuments })
  const resolve = aliasResolver(document)
  const unusable: YamlProblem[] = []
  tidy(document, keysOfText, resolve, (message, node) => {
    const problem = { path: '', ...positionAt((isNode(node) ? node.range?.[0] : null) ?? 0), message }
    if (message === unusableKey) unusable.push(problem)
    else faults.push(problem)
  })
  const { value, fault } = toPlainValue(document, faults.length === 0)
  if (fault !== undefined) faults.push({ path: '', line: 1, column: 1, message: fault })
  return {
    value,
    problems: [...duplicates, ...unusable, ...firstOfEachLine(faults)],
    readable: faults.length === 0,
    positionOf: (path) => positionAt(offsetOf(document, path, resolve)),
  }
}

/**
 * Maximum number of nesting levels. No configuration needs more levels. The functions that read the values
 * call themselves for each level, so a deeper file could overflow the stack.
 */
const MOST_LEVELS = 100

/** Finds the position of a list or mapping that is nested too deeply; returns null if there is none. */
function placeTooDeep(tokens: readonly CST.Token[], lines: LineCounter): Position | null {
  const left: { readonly token: CST.Token | null | undefined; readonly level: number }[] = []
  for (const token of tokens) {
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

function placeAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

function tooDeep(place: Position): ParsedYaml {
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
    return { value: document.toJS({ maxAliasCount: MOST_COPIES }) }
  } catch {
    // The package yaml rejects a file with aliases that multiply exponentially. The message of the package is
    // not shown, because it may quote the file.
    return { fault: 'the aliases (*name) of this file cannot be resolved' }
  }
}

/**
 * Returns the node to which an alias refers; undefined if the alias has no anchor. Returns any node that is
 * not an alias unchanged.
 */
type Resolve = (node: unknown) => unknown

/**
 * Makes a function that resolves aliases and visits the document only once. The method `resolve` of an alias
 * visits the whole document in each call.
 */
function aliasResolver(document: Document): Resolve {
  let targets: Map<unknown, Node | undefined> | null = null
  return (node) => {
    if (!isAlias(node)) return node
    targets ??= aliasTargets(document)
    return targets.get(node)
  }
}

function aliasTargets(document: Document): Map<unknown, Node | undefined> {
  const anchors = new Map<string, Node>()
  const targets = new Map<unknown, Node | undefined>()
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) targets.set(node, anchors.get(node.source))
      else if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  return targets
}

/**
 * Prepares a document for its conversion to plain values, in one visit.
 *
 * - Reports aliases without an anchor, and merge keys whose value is neither a mapping nor a list of mappings.
 * - Removes and reports keys that zod would silently skip. If a condition of a rule were skipped, the rule
 *   would exclude more than it says.
 * - Replaces the numbers of some keys by their text in the file. The numbers may be written in place or in an
 *   alias.
 */
function tidy(
  document: Document,
  keysOfText: ReadonlySet<string>,
  resolve: Resolve,
  report: (message: string, node: unknown) => void,
): void {
  visit(document, {
    Alias(_, alias) {
      if (resolve(alias) === undefined) report(danglingAlias, alias)
    },
    Pair(_, pair) {
      const { key, value } = pair
      const name = resolve(key)
      if (isScalar(name) && name.value === '__proto__') {
        report(unusableKey, key)
        return visit.REMOVE
      }
      // An alias without an anchor is reported as another mistake.
      const isUsable = (one: unknown) => one === undefined || isMap(one)
      if (isMergeKey(key) && !mergedInto(value, resolve).every(isUsable)) report(unusableMerge, key)
      if (isScalar(key) && typeof key.value === 'string' && keysOfText.has(key.value))
        keepDigits(pair, resolve)
      return undefined
    },
  })
}

function keepDigits(pair: Pair, resolve: Resolve): void {
  const written = resolve(pair.value)
  if (!isScalar(written) || typeof written.value !== 'number' || written.source === undefined) return
  const kept = new Scalar(written.source)
  if (isScalar(pair.value) && pair.value.anchor !== undefined) kept.anchor = pair.value.anchor
  pair.value = kept
}

/** Returns true for a key `<<` without quotation marks, which the parser reads as a symbol. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol'
}

/**
 * Returns the nodes that are merged by the value of a merge key. If several merged nodes have the same key,
 * the first node takes precedence.
 */
function mergedInto(value: unknown, resolve: Resolve): readonly unknown[] {
  const named = resolve(value)
  return isSeq(named) ? named.items.map(resolve) : [named]
}

/**
 * Returns only the first error of each line. One mistake can cause several errors of the parser, and only the
 * first names the cause.
 */
function firstOfEachLine(faults: readonly YamlProblem[]): YamlProblem[] {
  const sorted = faults.toSorted((a, b) => a.line - b.line || a.column - b.column)
  return sorted.filter(({ line }, index) => sorted[index - 1]?.line !== line)
}

function offsetOf(document: Document, path: readonly PropertyKey[], resolve: Resolve): number {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  for (const segment of path) {
    node = resolve(node)
    if (isMap(node)) {
      const pair = pairOf(node, segment, resolve)
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

/**
 * Finds a key in a mapping. If the mapping does not have the key, searches the mappings that are merged into
 * it.
 */
function pairOf(map: YAMLMap, name: PropertyKey, resolve: Resolve): Pair | undefined {
  const own = map.items.find(({ key }) => isScalar(key) && !isMergeKey(key) && String(key.value) === name)
  if (own !== undefined) return own
  const merged = map.items.filter(({ key }) => isMergeKey(key))
  return merged
    .flatMap(({ value }) => mergedInto(value, resolve))
    .filter(isMap)
    .map((one) => pairOf(one, name, resolve))
    .find((pair) => pair !== undefined)
}

const unusableKey = '__proto__ cannot be a key; rename it or take it away'
const unusableMerge = 'a merge key must name a mapping (<<: *name), or a list of mappings'
const severalDocuments = 'a second document begins here; one file holds one configuration'
const danglingAlias =
  'a value that begins with * refers to an anchor (&name) that does not exist; put quotation marks around the value'

// Error messages, by the error code of the package yaml. The messages of the package are not used, because
// they quote the file, which may contain a secret.
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
  TAB_AS_INDENT: 'a tab is in the indentation; YAML allows only spaces there',
  TAG_RESOLVE_FAILED: 'tags (!name) are not supported; remove it',
  UNEXPECTED_TOKEN: 'unexpected text; check quotation marks, brackets and indentation',
}
