import { readFileSync } from 'node:fs'

/** A row of the clause table in `test/README.md`: a clause and a test that holds it. */
export interface HeldClause {
  /** `spec 2.2.3` or `gaps rules.1`: document, section, row or item of it. */
  readonly clause: string
  /** Path from the top. */
  readonly file: string
  /** Name of a test in that file, or of one of its cases, as it is written there. */
  readonly name: string
}

/** Reads the rows of the clause table. */
export function heldClauses(): readonly HeldClause[] {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  return page
    .split('\n')
    .filter((line) => /^\| (?:spec|gaps) /.test(line))
    .map((line) => {
      const [, clause = '', , file = '', name = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
      return { clause, file: file.replaceAll('`', ''), name: name.replaceAll('\\|', '|') }
    })
}
