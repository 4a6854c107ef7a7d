/**
 * Serves each real programme of ../shared/realdata as Source A, as Source B and as pretalx, and syncs it on
 * PostgreSQL and on PGlite. The results are compared with every row of the table in that folder's README. The files of
 * both engines must have the same bytes.
 *
 * The command is `npm run realdata`; its last line is `N passed, N failed`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import pretalx from '../../pipeline/sources/examples/pretalx.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import { startEngine } from '../harness/engine.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { readCsv } from '../harness/read-pack.ts'
import { type SourceAResource, startSampleSourceA } from '../harness/sample-source/a.ts'
import { startSampleSourceB } from '../harness/sample-source/b.ts'
import { servePretalx } from '../sources/pretalx/serve.ts'
import { asPretalx } from './as-pretalx.ts'

const DATA = resolve(process.argv[2] ?? '../shared/realdata')
/** Maximum number of records on a page: so small that every resource takes several pages. */
const PAGE_CAP = 97

/** One row of the README's table: the expected result of a first run for one content. */
interface ExpectedRow {
  readonly event: string
  readonly type: 'a' | 'b' | 'pretalx'
  readonly timeZone: string
  readonly content: string
  readonly items: number
  /** Excluded records by reason. */
  readonly excluded: Readonly<Record<string, number>>
}

let passed = 0
let failed = 0

function check(name: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) passed += 1
  else {
    failed += 1
    console.log(
      `FAILED ${name}\n  expected ${JSON.stringify(expected)}\n  actual   ${JSON.stringify(actual)}`,
    )
  }
}

if (existsSync(DATA)) {
  const known = expectedRows()
  const rows = [...known, ...known.flatMap(expectedOfPretalx)]
  if (rows.length === 0) throw new Error(`${DATA}/README.md has no table of expected counts`)
  for (const ofEvent of Map.groupBy(rows, ({ event, type }) => `${event} as ${type}`).values())
    await checkEvent(ofEvent)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} else console.log(`skipped: ${DATA} is not there`)

/**
 * Reads the table of expected results from the README of the data, so that this project needs no copy of the
 * table.
 */
function expectedRows(): readonly ExpectedRow[] {
  const lines = readFileSync(join(DATA, 'README.md'), 'utf8').split('\n')
  return lines.flatMap((line): readonly ExpectedRow[] => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [, event = '', type, timeZone = '', content = '', items, reasons = ''] = cells
    if (type !== 'a' && type !== 'b') return []
    const excluded = Object.fromEntries(
      [...reasons.matchAll(/(\S+) (\d+)/g)].map(([, reason = '', count]) => [reason, Number(count)]),
    )
    return [{ event, type, timeZone, content, items: Number(items), excluded }]
  })
}

/**
 * Returns the expected result for the same programme in pretalx. Users of Source A who do not speak, or who
 * repeat an id, are the invented attendees of the data. Pretalx does not have these people.
 */
function expectedOfPretalx(row: ExpectedRow): readonly ExpectedRow[] {
  const { not_a_speaker, duplicate_id, ...excluded } = row.excluded
  return row.type === 'a' && row.content !== 'attendees' ? [{ ...row, type: 'pretalx', excluded }] : []
}

async function checkEvent(rows: readonly ExpectedRow[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const output = mkdtempSync(join(tmpdir(), 'event-sync-realdata-'))
  const server = await serve(first)
  const name = `${first.event} as ${first.type}`
  try {
    const at =
      first.type === 'pretalx'
        ? { type: 'pretalx', url: server.url, eventId: 'spring' }
        : sourceAt(first.type, server.url)
    const source = { ...at, timeZone: first.timeZone }
    const one = await checkEngine('pglite', rows, source, join(output, 'pglite'))
    const other = await checkEngine('postgres', rows, source, join(output, 'postgres'))
    const files = readdirSync(one).filter((file) => /\.(?:csv|jsonl)$/.test(file))
    check(`${name}: files`, files.length, 9)
    for (const file of files) {
      const isSame = readFileSync(join(one, file)).equals(readFileSync(join(other, file)))
      check(`${name}: ${file}, both engines write the same bytes`, isSame, true)
    }
  } finally {
    await server.close()
    rmSync(output, { recursive: true })
  }
  console.log(`${name}: done`)
}

async function serve({ event, type }: ExpectedRow) {
  const folder = join(DATA, event, type === 'pretalx' ? 'a' : type)
  // Numbers keep their digits.
  const list = (name: string) =>
    parseJson(readFileSync(join(folder, `${name}.json`), 'utf8')) as Readonly<Record<string, unknown>>[]
  if (type === 'pretalx') return servePretalx(asPretalx(list))
  if (type === 'a') {
    const names: SourceAResource[] = ['Sessions', 'TimeSlots', 'Rooms', 'Tracks', 'SessionTypes', 'Users']
    const data = Object.fromEntries(names.map((name) => [name, list(name)]))
    return startSampleSourceA(data as Record<SourceAResource, unknown[]>, { pageCap: PAGE_CAP })
  }
  const data = { sessions: list('sessions'), registrants: list('registrants'), regTypes: list('reg_types') }
  const pages = { pageCap: PAGE_CAP, creditsPerTenMinutes: Number.POSITIVE_INFINITY }
  return startSampleSourceB(data, { ...pages, itemsAs: 'list' })
}

/** Syncs a programme twice into a new database, and returns the folder of the first pack. */
async function checkEngine(
  name: 'pglite' | 'postgres',
  rows: readonly ExpectedRow[],
  source: Readonly<Record<string, unknown>>,
  output: string,
): Promise<string> {
  const outside = rows.some(({ type }) => type === 'pretalx') ? [pretalx] : []
  const engine = await startEngine(name, outside)
  const what = `${rows[0]?.event} as ${rows[0]?.type} on ${name}`
  try {
    const content = rows.map((row) => row.content)
    const integration = { id: 'real', source, content }
    const place = openPlace({ database: engine.database, output, integration, outside })
    // The runs on both engines have the same ids, because a pack contains the id of its run and the packs
    // must be equal.
    const run = (number: number) => runLast(place, { runId: `01a1fda0-0000-7000-8000-00000000000${number}` })
    const [first, second] = [await run(1), await run(2)]
    const pack = first.output ?? ''
    check(`${what}: first run`, [first.status, first.error, first.certified], ['finished', undefined, true])
    check(`${what}: nothing quarantined`, first.quarantined, 0)
    check(`${what}: second run`, [second.status, second.error], ['finished', undefined])
    for (const { content, items, excluded } of rows) {
      const decisions = readCsv(join(pack, 'decisions.csv')).filter((row) => row.content === content)
      const left = decisions.filter(({ decision }) => decision !== 'synced')
      const byReason = Object.entries(Object.groupBy(left, ({ reason }) => reason ?? ''))
      const counts = Object.fromEntries(byReason.map(([reason, list]) => [reason, list?.length]))
      check(`${what}: ${content}, excluded`, counts, excluded)
      check(`${what}: ${content}, synced`, decisions.length - left.length, items)
      check(`${what}: ${content}.csv`, readCsv(join(pack, `${content}.csv`)).length, items)
      const unchanged = { create: 0, update: 0, remove: 0, unchanged: items }
      check(`${what}: ${content}, second plan`, second.changes[content as 'agenda'], unchanged)
    }
    return pack
  } finally {
    await engine.close()
  }
}
