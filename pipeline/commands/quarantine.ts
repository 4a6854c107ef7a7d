import { findLastRead, type LastRead } from '../../loaders/explanation/item.ts'
import { findQuarantined, type Quarantined } from '../../loaders/ledger/quarantine.ts'
import { findPersonalIds } from '../../loaders/people/person.ts'
import type { Db } from '../../sql/tables.ts'
import type { AnyPeople } from '../../transforms/declare/source.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { findAll, type SoughtBy } from '../people/sought.ts'
import { HIDDEN } from '../runtime/personal.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import type { Unreadable } from '../schemas/items.ts'
import { resourcesOf, sourceTypeOf } from '../sources/registry.ts'
import { ID, integrationOf, readSoughtBy, SOUGHT_OPTIONS, type SoughtOptions } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { type CommandIo, toTable } from './io.ts'
import { withStored } from './session.ts'

const HELP = `
A record that cannot be read counts as present: nothing is removed because of it. Its values are not stored: --email and
--name find it only if an earlier version of it could be read.

Examples:
  event-sync quarantine summit
  event-sync quarantine summit --email < address.txt    is it the record of this person?
  event-sync quarantine summit --json`

export const addQuarantineCommand = defineCommand({
  name: 'quarantine',
  summary: 'records of the last read that could not be read, with path and reason',
  help: HELP,
  args: [ID],
  options: SOUGHT_OPTIONS,
  async run({ options, io, global }: Call<SoughtOptions>, id: string) {
    const sought = await readSoughtBy(io, options)
    return withStored(global, io, async (db, { config }) => {
      const integration = integrationOf(config, id)
      const run = await findLastRead(db, id)
      const isSought =
        run === undefined || sought === null ? null : await findUnreadable(db, integration, sought)
      const print = global.json ? printJson : printText
      const { people } = sourceTypeOf(integration.source).transform
      await print(io, db, { id, run, isSought, people, showPersonal: global.showPersonal })
      return EXIT.ok
    })
  },
})

/** Returns a test that is true for the unreadable records that the user named. */
async function findUnreadable(db: Db, integration: IntegrationConfig, sought: SoughtBy) {
  const { has } = await findAll(db, integration, sought)
  const resources = [...resourcesOf(sourceTypeOf(integration.source).transform)]
  return (record: Quarantined) =>
    resources.some(([content, resource]) => resource === record.resource && has(content, record.sourceId))
}

interface Query {
  readonly id: string
  readonly run: LastRead | undefined
  /** Tests whether the list shows a record; null if the list shows all records. */
  readonly isSought: ((record: Quarantined) => boolean) | null
  readonly people: AnyPeople
  readonly showPersonal: boolean
}

/** Reads the records of the list page by page, as they are shown. No page is empty. */
async function* pagesOf(db: Db, { id, run, isSought, people, showPersonal }: Query) {
  if (run === undefined) return
  for await (const page of findQuarantined(db, id, run.run_id)) {
    const listed = isSought === null ? page : page.filter(isSought)
    if (listed.length === 0) continue
    const ids = showPersonal ? [] : listed.flatMap(({ sourceId }) => sourceId ?? [])
    const personal = await findPersonalIds(db, id, people, ids)
    yield listed.map((record) => shown(record, personal))
  }
}

async function printText(io: CommandIo, db: Db, query: Query): Promise<void> {
  const { id, run, isSought } = query
  const print = (text: string) => io.stdout.write(text)
  if (run === undefined)
    return void print(`${id}: nothing has been read yet; run \`event-sync run ${id}\` first\n`)
  const read = `run ${run.run_id} of ${run.started_at.toISOString()}`
  let count = 0
  for await (const page of pagesOf(db, query)) {
    if (count === 0) print(`${id}: records that could not be read in the last read, ${read}\n\n`)
    const rows = page.map(Object.values)
    print(toTable(['resource', 'place', 'id', 'path', 'reason'], rows))
    count += page.length
    if (!io.stdout.writable) return
  }
  const all = isSought === null ? 'every record' : 'every record with that name or address'
  if (count === 0) return void print(`${id}: ${all} of the last read could be read (${read})\n`)
  print(`
${counted(count, 'record')}. place: position of the record in the resource, counted from 1; path: position in the record.
They count as present: nothing is removed because of them. Fix them at the source; the next run reads them again.
`)
}

async function printJson(io: CommandIo, db: Db, query: Query): Promise<void> {
  const { id, run } = query
  const readAt = run?.started_at.toISOString() ?? null
  const head = { integration: id, run: run?.run_id ?? null, readAt }
  io.stdout.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  let isFirst = true
  for await (const page of pagesOf(db, query)) {
    const text = page.map((record) => toVisibleJson(record)).join()
    io.stdout.write(isFirst ? text : `,${text}`)
    isFirst = false
    if (!io.stdout.writable) return
  }
  io.stdout.write(']}\n')
}

function shown(
  { resource, place, sourceId, path, detail }: Quarantined,
  personal: ReadonlySet<string>,
): Unreadable {
  const isHidden = sourceId !== null && personal.has(sourceId)
  return { resource, place, sourceId: isHidden ? HIDDEN : sourceId, path, reason: detail }
}
