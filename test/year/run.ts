import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { approve } from '../../pipeline/commands/apply.ts'
import { machine } from '../../pipeline/commands/session.ts'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import { startEngine } from '../harness/engine.ts'
import { openPlace, runLast } from '../harness/place.ts'
import { makeRandom } from '../harness/random.ts'
import { serveRecords } from '../harness/serve-records.ts'
import { emptyTables } from '../support/staged.ts'
import { FAULTS, resourcesOf, yearOf } from './year.ts'

/**
 * Counts false alarms and misses of the guards over the year of an organiser, for events of several sizes.
 *
 * `node test/year/run.ts [--sizes 18,60] [--seeds 6] [--min-count 5] [--max-share 0.2]`; exit 1 where more than a fiftieth of
 * the ordinary steps is held, or a fault that takes half of ten items or more is not.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '12,18,30,60' },
    seeds: { type: 'string', default: '6' },
    'min-count': { type: 'string' },
    'max-share': { type: 'string' },
  },
})
const removals = {
  ...(values['min-count'] === undefined ? {} : { minCount: Number(values['min-count']) }),
  ...(values['max-share'] === undefined ? {} : { maxShare: Number(values['max-share']) }),
}
const DAY_MS = 24 * 60 * 60 * 1000
const engine = await startEngine('pglite')
const output = mkdtempSync(join(tmpdir(), 'event-sync-year-'))
const source = await serveRecords('a', {}, 1000)
const alarms = new Map<string, number>()
const misses = new Map<string, number>()
const totals = { ordinary: 0, held: 0, drastic: 0, drasticHeld: 0, faults: 0, missed: 0, halves: 0 }

try {
  for (const size of values.sizes.split(',').map(Number)) {
    for (let seed = 1; seed <= Number(values.seeds); seed += 1) await playYear(size, seed)
  }
} finally {
  await source.close()
  await engine.close()
  rmSync(output, { recursive: true, force: true })
}
for (const [name, list] of [
  ['held though nothing was wrong', alarms],
  ['not held', misses],
] as const) {
  console.log(`${name}:`)
  for (const [what, count] of [...list].sort((one, other) => other[1] - one[1]))
    console.log(`  ${count} ${what}`)
}
console.log(JSON.stringify({ removals, ...totals }))
process.exitCode = totals.held > totals.ordinary / 50 || totals.halves > 0 ? 1 : 0

async function playYear(size: number, seed: number): Promise<void> {
  await emptyTables(engine.database.kysely)
  const random = makeRandom(seed * 1000 + size)
  let now = Date.parse('2031-01-01T00:00:00Z')
  const id = `year-${size}-${seed}`
  const place = () =>
    openPlace({
      database: engine.database,
      output,
      environment: { ...machine, now: () => now },
      integration: {
        id,
        source: { type: 'a', url: source.url, eventId: '4242', timeZone: 'UTC' },
        removals,
      },
    })
  for (const { name, isDrastic, records } of yearOf(size, random)) {
    now += 2 * DAY_MS
    source.hold(resourcesOf(records))
    const report = await runLast(place())
    if (report.status === 'failed') throw new Error(`${name}: ${report.error}`)
    const isHeld = report.status === 'held'
    totals[isDrastic ? 'drastic' : 'ordinary'] += 1
    if (isHeld) {
      totals[isDrastic ? 'drasticHeld' : 'held'] += 1
      if (!isDrastic) count(alarms, `${report.held?.guard}: ${name} (${size})`)
      await approveLast(place, report)
    }
    if (random.chance(0.4)) {
      const [fault, apply] = random.pick(Object.entries(FAULTS))
      if (records.users.length < 5 || records.sessions.length < 5) continue
      now += DAY_MS / 24
      source.hold(resourcesOf(apply(records, random)))
      const planned = await runLast(place(), { command: 'plan' })
      if (planned.status === 'failed') continue
      totals.faults += 1
      if (planned.status === 'held' || !doesHarm(planned)) continue
      totals.missed += 1
      if (losesHalf(planned)) totals.halves += 1
      count(misses, `${fault} (${size}): ${harmOf(planned)}`)
    }
  }
}

async function approveLast(
  place: () => ReturnType<typeof openPlace>,
  { planHash }: RunReport,
): Promise<void> {
  const { context, integration } = place()
  await approve(context, integration, planHash ?? '', 'Ada')
}

function harmOf({ changes }: RunReport): string {
  return Object.entries(changes)
    .map(([content, { remove, update }]) => `${content} -${remove} ~${update}`)
    .join(', ')
}

/** More than three items, and more than a tenth of a content, would go or become wrong. */
function doesHarm({ changes }: RunReport): boolean {
  return Object.values(changes).some(({ remove, update, unchanged }) => {
    const bad = remove + update
    return bad > 3 && bad > (bad + unchanged) / 10
  })
}

function losesHalf({ changes }: RunReport): boolean {
  return Object.values(changes).some(({ remove, update, unchanged }) => {
    const live = remove + update + unchanged
    return live >= 10 && remove >= live / 2
  })
}

function count(list: Map<string, number>, what: string): void {
  list.set(what, (list.get(what) ?? 0) + 1)
}
