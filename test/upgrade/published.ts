import type { Database } from '../../sql/database.ts'

/** The published views. */
const VIEWS = [
  'runs',
  'agenda',
  'speakers',
  'attendees',
  'session_speakers',
  'attendee_sessions',
  'decisions',
  'changes',
  'load_results',
] as const

export type Published = Readonly<Record<string, readonly Readonly<Record<string, string | null>>[]>>

/** Returns the rows of all published views as sorted texts. */
export async function readPublished(database: Database): Promise<Published> {
  const read: Record<string, Record<string, string | null>[]> = {}
  for (const view of VIEWS) {
    const rows: Record<string, string | null>[] = []
    for await (const page of database.readOnly(`select * from published.${view}`)) {
      for (const row of page.rows)
        rows.push(Object.fromEntries(page.columns.map((name, at) => [name, row[at] ?? null])))
    }
    read[view] = rows.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  }
  return read
}
