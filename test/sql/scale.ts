/**
 * Shows on a PostgreSQL of its own that questions into ten runs of history use indexes, and that staging what has not
 * changed writes no row.
 *
 * `node test/sql/scale.ts [--registrants 1000000] [--others 20000]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startRegistrants } from '../bench/registrants.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { measureScale } from './scale/scale.ts'

const { values } = parseArgs({
  options: {
    registrants: { type: 'string', default: '100000' },
    others: { type: 'string', default: '20000' },
  },
})
const [registrants, others] = [Number(values.registrants), Number(values.others)]
const folder = mkdtempSync(join(tmpdir(), 'event-sync-scale-'))
const postgres = await startPostgres([])
const source = await startRegistrants(registrants, 'pages')
const started = performance.now()
const say = (text: string) => console.log(`${((performance.now() - started) / 1000).toFixed(0)} s: ${text}`)

try {
  const databaseUrl = await createDatabase(postgres.url)
  const scale = await measureScale({ folder, databaseUrl, sourceUrl: source.url }, others, say)
  console.log(`${registrants} registrants, versions:`, scale.versions)
  for (const { name, ms, blocksTouched, indexes, scanned } of scale.answers) {
    const how = [...indexes, ...scanned.map((table) => `all of ${table}`)].join(', ')
    console.log(
      `${ms.toFixed(2).padStart(10)} ms ${String(blocksTouched).padStart(8)} blocks  ${name}: ${how}`,
    )
  }
  for (const [run, seconds] of Object.entries({ first: scale.first, second: scale.second })) {
    const each = Object.entries(seconds).map(([step, time]) => `${step} ${time.toFixed(1)}`)
    console.log(`${run} run, seconds by step: ${each.join(', ')}`)
  }
  const wrote = Object.keys(scale.writtenAfter).filter(
    (table) => scale.writtenAfter[table] !== scale.writtenBefore[table],
  )
  const faults = [...scale.faults, ...wrote.map((table) => `the second run wrote to ${table}`)]
  console.log(
    faults.length === 0 ? 'the second run wrote no row; every plan is as it should be' : faults.join('\n'),
  )
  if (faults.length > 0) process.exitCode = 1
} finally {
  source.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
