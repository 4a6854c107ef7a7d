import type { Kysely } from 'kysely'
import { findLastRead, type LastRead } from '../../loaders/explanation/item.ts'
import { findQuarantined, type Quarantined } from '../../loaders/ledger/quarantine.ts'
import type { Tables } from '../../sql/tables.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { HIDDEN, isAddress } from '../runtime/personal.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import { ID, integrationOf } from './arguments.ts'
import { defineCommand } from './define-command.ts'
import { type CommandIo, toTable } from './io.ts'
import { withStored } from './session.ts'

const HELP = `
A record that cannot be read counts as present: nothing is removed because of it. Its values are not stored.

Examples:
  event-sync quarantine summit
  event-sync quarantine summit --json`

export const addQuarantineCommand = defineCommand({
  name: 'quarantine',
  summary: 'records of the last read that could not be read, with path and reason',
  help: HELP,
  args: [ID],
  run: ({ io, global }, id: string) =>
    withStored(global, io, async (db, { config }) => {
      integrationOf(config, id)
      const run = await findLastRead(db, id)
      const print = global.json ? printJson : printText
      await print(io, db, { id, run, showPersonal: global.showPersonal })
      return EXIT.ok
    }),
})

interface Query {
  readonly id: string
  readonly run: LastRead | undefined
  readonly showPersonal: boolean
}

async function printText(io: CommandIo, db: Kysely<Tables>, { id, run, showPersonal }: Query): Promise<void> {
  const print = (text: string) => io.stdout.write(text)
  if (run === undefined)
    return void print(`${id}: nothing has been read yet; run \`event-sync run ${id}\` first\n`)
  const read = `run ${run.run_id} of ${run.started_at.toISOString()}`
  let count = 0
  for await (const page of findQuarantined(db, id, run.run_id)) {
    if (count === 0) print(`${id}: records that could not be read in the last read, ${read}\n\n`)
    const rows = page.map((record) => Object.values(shown(record, showPersonal)))
    print(toTable(['resource', 'place', 'id', 'path', 'reason'], rows))
    count += page.length
    if (!io.stdout.writable) return
  }
  if (count === 0) return void print(`${id}: every record of the last read could be read (${read})\n`)
  print(`
${counted(count, 'record')}. place: position of the record in the resource, counted from 1; path: position in the record.
They count as present: nothing is removed because of them. Fix them at the source; the next run reads them again.
`)
}

async function printJson(io: CommandIo, db: Kysely<Tables>, { id, run, showPersonal }: Query): Promise<void> {
  const readAt = run?.started_at.toISOString() ?? null
  const head = { integration: id, run: run?.run_id ?? null, readAt }
  io.stdout.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  let isFirst = true
  for await (const page of run === undefined ? [] : findQuarantined(db, id, run.run_id)) {
    const text = page.map((record) => toVisibleJson(shown(record, showPersonal))).join()
    io.stdout.write(isFirst ? text : `,${text}`)
    isFirst = false
    if (!io.stdout.writable) return
  }
  io.stdout.write(']}\n')
}

function shown({ resource, place, sourceId, path, detail }: Quarantined, showPersonal: boolean) {
  const isHidden = sourceId !== null && !showPersonal && isAddress(sourceId)
  return { resource, place, sourceId: isHidden ? HIDDEN : sourceId, path, reason: detail }
}
