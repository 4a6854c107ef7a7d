import { isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import { type ConfigInput, toCommentedElement } from './commented-yaml.ts'

/**
 * Appends an integration to the list `integrations` in the text of a configuration. The existing text stays
 * byte for byte the same; only new lines, or a part of a line, are inserted.
 *
 * @param text a valid configuration
 * @returns null if the list is not written in the file itself, for example because it is a YAML alias
 */
export function appendIntegration(
  text: string,
  integration: ConfigInput['integrations'][number],
): string | null {
  const { contents } = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
  const list = isMap(contents)
    ? contents.items.find(({ key }) => isScalar(key) && key.value === 'integrations')?.value
    : null
  if (!isSeq(list)) return null
  const last: unknown = list.items.at(-1)
  if (!isNode(last) || list.range == null || last.range == null) return null
  // JSON is valid YAML within brackets.
  if (list.flow === true) return inserted(text, last.range[1], `, ${JSON.stringify(integration)}`)
  const start = text.lastIndexOf('\n', list.range[0] - 1) + 1
  const dash = /^( *)-\s/m.exec(text.slice(start))?.[1]?.length ?? 0
  const at = endOfElement(text, last.range[1], dash)
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = toCommentedElement(integration, dash).map((line) => `${line}${lineEnd}`)
  return inserted(text, at, `${at === 0 || text[at - 1] === '\n' ? '' : lineEnd}${lines.join('')}`)
}

/**
 * Returns the offset of the line after an element of a YAML list. Comments with the indentation of the
 * element's keys belong to the element.
 *
 * @param end offset at which the last value of the element ends
 * @param dash number of characters in front of the element's dash
 */
function endOfElement(text: string, end: number, dash: number): number {
  let at = end === 0 || text[end - 1] === '\n' ? end : nextLine(text, end)
  for (let line = at; line < text.length; line = nextLine(text, line)) {
    const written = text.slice(line, nextLine(text, line)).trimEnd()
    const column = written.search(/\S/)
    if (column !== -1 && (column <= dash || written[column] !== '#')) break
    if (column !== -1) at = nextLine(text, line)
  }
  return at
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

function inserted(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at)
}
