/**
 * Returns the file and line at which an error was thrown, for the end of a sentence: ` in agenda.ts, line 7`.
 * Code of packages is skipped. The result is empty if the error does not have the line.
 *
 * The message of the error is left out, because it may contain personal data.
 */
export function placeInCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { message, stack = '' } = error
  const [header = '', ...rest] = message === '' ? ['', stack] : stack.split(message)
  // The stack of a syntax error begins with the file that has the error.
  const [begin = ''] = header.split('\n')
  for (const line of [begin, ...rest.join('').split('\n')]) {
    const [, file, number] = PLACE.exec(line.split(/[/\\]/).at(-1) ?? '') ?? []
    if (file !== undefined && !line.includes('node_modules')) return ` in ${file}, line ${number}`
  }
  return ''
}

const PLACE = /^([\w.-]+\.[cm]?[jt]s)(?:\?\w+)?:(\d+)(?::\d+)?\)?$/
