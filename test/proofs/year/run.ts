/**
 * Simulates a year of an organiser's work on an event, and syncs each state with the real product. Between
 * the states the source has faults. Counts false alarms, missed faults and wrong states.
 *
 * `node test/proofs/year/run.ts [--sizes 12,18,30,60] [--seeds 3] [--min-count N] [--max-share N]`. Each
 * ordinary state must be applied without approval, even right after a fault. After each ordinary state, the
 * platform must have the organiser's items. Only states that remove most of a content may be held, and need
 * one approval. No fault may change the platform. The exit code is 1 if a fault was missed, a state was
 * wrong, or three or more of a thousand states led to a false alarm.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { approve } from '../../../pipeline/run/run.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import type { Database } from '../../../sql/database.ts'
import { startEngine } from '../../harness/engine.ts'
import { openPlace, runLast, sourceAt } from '../../harness/place.ts'
import { makeRandom } from '../../harness/random.ts'
import { serveRecords } from '../../harness/serve-records.ts'
import { expectedIds, faultsOf, type Organised, type SourceType, served, yearOf } from './year.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '12,18,30,60' },
    seeds: { type: 'string', default: '3' },
    'min-count': { type: 'string' },
    'max-share': { type: 'string' },
  },
})
const removals = {
  ...(values['min-count'] === undefined ? {} : { minCount: Number(values['min-count']) }),
  ...(values['max-share'] === undefined ? {} : { maxShare: Number(values['max-share']) }),
}
const MOST_ALARMS = 0.003
const DAY_MS = 24 * 60 * 60 * 1000
/** A resource with fewer records gets no faults, because the product could not recognise a fault. */
const LEAST_RECORDS = 10
const output = mkdtempSync(join(tmpdir(), 'event-sync-year-'))
const found = {
  'false alarm': new Map(),
  miss: new Map(),
  'wrong state': new Map(),
} as const satisfies Record<string, Map<string, number>>
const totals = { snapshots: 0, faults: 0 }

try {
  for (const type of ['a', 'b'] as const) {
    for (const size of values.sizes.split(',').map(Number)) {
      for (let seed = 1; seed <= Number(values.seeds); seed += 1) await playYear(type, size, seed)
      console.log(`Source ${type.toUpperCase()}, ${size} sessions: ${values.seeds} years`)
    }
  }
} finally {
  rmSync(output, { recursive: true, force: true })
}
for (const [kind, cases] of Object.entries(found)) {
  for (const [what, count] of [...cases].sort((one, other) => other[1] - one[1]))
    console.log(`${kind}, ${count} x: ${what}`)
}
const sum = (cases: Map<string, number>) => [...cases.values()].reduce((all, count) => all + count, 0)
const [alarms, misses, wrong] = [sum(found['false alarm']), sum(found.miss), sum(found['wrong state'])]
console.log(
  `${totals.snapshots} good snapshots: ${alarms} false alarms, ${wrong} wrong states; ${totals.faults} faults: ${misses} misses`,
)
process.exitCode = alarms >= totals.snapshots * MOST_ALARMS || misses + wrong > 0 ? 1 : 0

async function playYear(type: SourceType, size: number, seed: number): Promise<void> {
  // Each year has a new database, because PGlite does not free disk space by itself.
  const { database, close } = await startEngine('pglite')
  const random = makeRandom(seed * 1000 + size)
  const source = await serveRecords(type, {}, 1000)
  let nowMs = Date.parse('2031-01-01T00:00:00Z')
  const place = () => {
    const integration = {
      id: `year-${type}-${size}-${seed}`,
      source: { ...sourceAt(type, source.url), timeZone: 'UTC' },
      removals,
    }
    const environment = { ...machine, now: () => nowMs }
    return openPlace({ database, output, environment, integration })
  }
  const land = async (what: string, organised: Organised, asks: boolean) => {
    totals.snapshots += 1
    source.hold(served(type, organised))
    const report = await runLast(place())
    const where = `${what} (Source ${type.toUpperCase()}, ${size} sessions)`
    if (report.status === 'failed') throw new Error(`${where}: ${report.error}`)
    if (report.status !== 'finished') {
      if (!asks || report.held?.guard !== 'statedRemovals')
        count('false alarm', `${where}: ${outcomeOf(report)}`)
      const { context, integration } = place()
      await approve(context, integration, report.planHash ?? '', 'Ada')
    } else if (asks) count('miss', `${where}: ${outcomeOf(report)}`)
    else if (
      !isDeepStrictEqual(idsOf(await platformItems(database)), sortedIds(expectedIds(type, organised)))
    )
      count('wrong state', where)
  }
  try {
    for (const { name, organised, asks } of yearOf(type, size, random)) {
      nowMs += 2 * DAY_MS
      await land(name, organised, asks)
      if (organised.sessions.length < LEAST_RECORDS || organised.people.length < LEAST_RECORDS) continue
      if (organised.sessions.every(({ isHidden }) => isHidden) || !random.chance(0.4)) continue
      const fault = random.pick(faultsOf(type, organised, random))
      if (fault.served === null) continue
      nowMs += DAY_MS / 24
      totals.faults += 1
      const before = await platformItems(database)
      source.hold(fault.served)
      const report = await runLast(place())
      if (!isDeepStrictEqual(await platformItems(database), before))
        count(
          'miss',
          `${fault.name} after ${name} (Source ${type.toUpperCase()}, ${size} sessions): ${outcomeOf(report)}`,
        )
      nowMs += DAY_MS / 24
      await land(`${name}, after ${fault.name}`, organised, false)
    }
  } finally {
    await close()
    await source.close()
  }
}

function count(kind: keyof typeof found, what: string): void {
  found[kind].set(what, (found[kind].get(what) ?? 0) + 1)
}

function outcomeOf({ status, held, error, changes }: RunReport): string {
  const planned = Object.entries(changes).map(
    ([content, { create, update, remove }]) => `${content} +${create} ~${update} -${remove}`,
  )
  return `${status}, ${held === null ? (error ?? 'not held') : `${held.guard}: ${held.detail}`}; ${planned.join(', ')}`
}

function platformItems({ kysely }: Database) {
  return kysely
    .selectFrom('sync.platform_items')
    .orderBy('content')
    .orderBy('unique_id')
    .selectAll()
    .execute()
}

function idsOf(items: Awaited<ReturnType<typeof platformItems>>) {
  const of = (wanted: string) =>
    items.filter(({ content }) => content === wanted).map(({ unique_id }) => unique_id)
  return sortedIds({ agenda: of('agenda'), speakers: of('speakers'), attendees: of('attendees') })
}

function sortedIds(ids: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(Object.entries(ids).map(([content, list]) => [content, list.toSorted()]))
}
