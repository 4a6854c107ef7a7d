import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One row of the table in the real data's README: what a first run must give for one content. */
export interface ExpectedRow {
  readonly event: string
  readonly source: 'a' | 'b'
  readonly timeZone: string
  readonly content: string
  readonly items: number
  /** Excluded records by reason. */
  readonly excluded: Readonly<Record<string, number>>
}

/** Reads the table from the README beside the data, so that nothing is copied from it. */
export function expectedRows(folder: string): readonly ExpectedRow[] {
  const lines = readFileSync(join(folder, 'README.md'), 'utf8').split('\n')
  const rows = lines.flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [, event = '', source, timeZone = '', content = '', items, excluded = ''] = cells
    if (source !== 'a' && source !== 'b') return []
    return [
      { event, source, timeZone, content, items: Number(items), excluded: parseReasons(excluded) } as const,
    ]
  })
  if (rows.length === 0) throw new Error(`${folder}/README.md has no table of expected counts`)
  return rows
}

function parseReasons(text: string): Readonly<Record<string, number>> {
  if (text === '–') return {}
  return Object.fromEntries(
    text.split(', ').map((part) => {
      const [reason = '', count] = part.split(' ')
      return [reason, Number(count)]
    }),
  )
}
