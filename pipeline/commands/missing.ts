import { Option } from 'commander'
import type { LastRead } from '../../loaders/explanation/item.ts'
import { toCsv } from '../../loaders/packs/csv-files/csv.ts'
import { removedBecause } from '../../transforms/declare/reasons.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { findMissing } from '../inspect/missing.ts'
import { named } from '../inspect/platform-state.ts'
import { HIDDEN, HIDDEN_HINT } from '../runtime/personal.ts'
import { EXIT } from '../runtime/report.ts'
import { quoted, toVisibleJson, visible, word } from '../runtime/visible.ts'
import type { Missing, SoughtItem, WaitingRun } from '../schemas/items.ts'
import { ID, integrationOf, readSoughtBy, SOUGHT_OPTIONS, type SoughtOptions } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { type CommandIo, toTable } from './io.ts'
import { withStored } from './session.ts'

/** Maximum number of records that the text shows in each group. `--csv` and `--json` print all records. */
const SHOWN = 20

const COLUMNS = ['content', 'id', 'name', 'reason', 'why', 'todo'] as const

const HELP = `
Lists what the last read left out, could not read, or sent and the platform rejected, grouped by what can be done about it; groups that
need somebody come first, then hints, then what may be right. Names of people are hidden without --show-personal.
While the last read is held, or was not sent for another reason, the list is that of the last run that landed; the first line says so.
With --name or --email it also says which of these people and sessions are in the app, or were removed from it.

Examples:
  event-sync missing summit                                   who is not in the app, and why?
  event-sync missing summit --csv --show-personal > who.csv   all of them, for the organiser
  event-sync missing summit --name "Ada Lovelace"             is she missing, and why?
  event-sync missing summit --json                            for machines`

export const addMissingCommand = defineCommand({
  name: 'missing',
  summary: 'records that are not on the platform, with the reason and what the organiser can do',
  help: HELP,
  args: [ID],
  options: [new Option('--csv', 'CSV on standard output, one row a record'), ...SOUGHT_OPTIONS],
  async run({ io, global, options }: Call<Options>, id: string) {
    const sought = await readSoughtBy(io, options)
    return withStored(global, io, async (db, { config }) => {
      const integration = integrationOf(config, id)
      const { showPersonal } = global
      const found = await findMissing(db, integration, { showPersonal, sought })
      if (options.csv === true) await printCsv(io, id, found)
      else if (global.json) await printJson(io, id, found)
      else await printText(io, id, found)
      return EXIT.ok
    })
  },
})

interface Options extends SoughtOptions {
  readonly csv?: boolean
}

type Found = Awaited<ReturnType<typeof findMissing>>

async function printCsv(io: CommandIo, id: string, { waiting, read, pages }: Found): Promise<void> {
  if (waiting !== null) io.stderr.write(describeWaiting(id, waiting, read))
  io.stdout.write(toCsv([['integration', ...COLUMNS]]))
  for await (const page of pages)
    if (page.length > 0) io.stdout.write(toCsv(page.map((row) => [id, ...COLUMNS.map((name) => row[name])])))
}

async function printJson(io: CommandIo, id: string, { read, waiting, pages, sought }: Found): Promise<void> {
  const landedAt = read.applied_at?.toISOString() ?? null
  const head = { integration: id, run: read.run_id, landedAt, waiting }
  io.stdout.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  let isFirst = true
  for await (const page of pages) {
    for (const row of page) {
      io.stdout.write(`${isFirst ? '' : ','}${toVisibleJson(row)}`)
      isFirst = false
    }
  }
  io.stdout.write(`]${sought === null ? '' : `,"sought":${toVisibleJson(sought)}`}}\n`)
}

/** Says which newer run is not in the app and why, and which run the list describes. */
function describeWaiting(
  id: string,
  { run, startedAt, status, plannedAt, guard }: WaitingRun,
  read: LastRead,
) {
  const what = plannedAt === null ? 'the newest run' : 'the newest read'
  const state =
    guard !== null
      ? `is held by ${guard} since ${plannedAt}`
      : (STATES[status] ?? `has the status ${status}, and is not sent completely`)
  const answer =
    read.run_id === run
      ? 'no run has landed yet, so the list is of that read'
      : 'the list is of the last run that landed'
  return `${id}: ${what}, run ${run} of ${startedAt}, ${state}: see event-sync show ${run}; ${answer}\n`
}

/** Texts about a run that sent nothing, by the status of the run. */
const STATES: Readonly<Record<string, string>> = {
  planned: 'was only planned, and not sent',
  failed: 'failed',
  abandoned: 'was interrupted',
}

interface Group {
  readonly heading: string
  readonly rows: Missing[]
  count: number
  /** True if the same text explains all records of the group. */
  isSameWhy: boolean
}

/** Groups the records by the advice for the user. */
async function groupsOf(pages: Found['pages']): Promise<readonly Group[]> {
  const groups = new Map<string, Group>()
  for await (const page of pages) {
    for (const row of page) {
      const heading = headingOf(row)
      const group = groups.get(heading) ?? { heading, rows: [], count: 0, isSameWhy: true }
      groups.set(heading, group)
      group.count += 1
      group.isSameWhy &&= row.why === (group.rows[0] ?? row).why
      if (group.rows.length < SHOWN) group.rows.push(row)
    }
  }
  return [...groups.values()].sort((one, other) => rankOf(one) - rankOf(other))
}

const MISSING_FIELD = 'missing_required:'

/**
 * Returns the advice for the user about a record. If a required field is missing, the advice begins with the
 * name of the field.
 */
function headingOf({ reason, todo }: Missing): string {
  if (reason.startsWith('hint:')) return `Hint: ${todo}`
  return reason.startsWith(MISSING_FIELD) ? `${reason.slice(MISSING_FIELD.length)}: ${todo}` : todo
}

async function printText(io: CommandIo, id: string, { read, waiting, pages, sought }: Found): Promise<void> {
  const all = await groupsOf(pages)
  const hints = all.reduce((sum, { rows, count }) => sum + (isHint(rows[0]) ? count : 0), 0)
  const left = all.reduce((sum, { count }) => sum + count, 0) - hints
  const gone = (sought ?? []).filter(isGone).length
  const none = sought === null ? 'every record has its item' : describeNoneLeft(gone)
  const what = left === 0 ? none : `${counted(left, 'record')} left out, quarantined or rejected`
  const landed =
    waiting === null || read.applied_at === null ? '' : `, which landed at ${read.applied_at.toISOString()}`
  const asOf = `as of run ${read.run_id} of ${read.started_at.toISOString()}${landed}`
  const print = (text: string) => io.stdout.write(text)
  if (waiting !== null) print(describeWaiting(id, waiting, read))
  print(`${id}: ${what}${hints === 0 ? '' : `; ${counted(hints, 'hint')}`}, ${asOf}\n`)
  for (const group of all) print(describeGroup(group))
  if (sought !== null && sought.length > 0) print(describeSought(id, sought))
  const shown = [...all.flatMap(({ rows }) => rows), ...(sought ?? [])]
  if (shown.some((row) => row.id === HIDDEN || row.name === HIDDEN)) print(`\n${HIDDEN_HINT}`)
}

function describeGroup({ heading, rows, count, isSameWhy }: Group): string {
  const why = isSameWhy && count > 1 ? (rows[0]?.why ?? null) : null
  const table =
    why === null
      ? toTable(
          ['content', 'id', 'name', 'why'],
          rows.map((row) => [row.content, row.id, row.name, row.why]),
        )
      : toTable(
          ['content', 'id', 'name'],
          rows.map((row) => [row.content, row.id, row.name]),
        )
  const more =
    count > rows.length ? `and ${counted(count - rows.length, 'more record')}: --csv has all\n` : ''
  return `\n${heading} (${count})\n${why === null ? '' : `${why}\n`}\n${table}${more}`
}

function isGone({ standing }: SoughtItem): boolean {
  return standing === 'removed' || standing === 'gone'
}

/** @param gone number of records with the name or address that are no longer in the app or at the source */
function describeNoneLeft(gone: number): string {
  if (gone === 0) return 'no record with that name or address is missing'
  const are = gone === 1 ? 'is' : 'are'
  return `${counted(gone, 'record')} with that name or address ${are} no longer in the app or at the source`
}

/**
 * Says for each item that the user named if it is in the app, was removed and why, or is not sent yet. Missing
 * items are listed elsewhere.
 */
function describeSought(integration: string, sought: readonly SoughtItem[]): string {
  const lines = sought.map((one) => {
    const { content, id, name } = one
    const item = id === HIDDEN ? '--email < address.txt' : word(id)
    const title = name === null || name === HIDDEN ? '' : ` ${quoted(name)}`
    return `  ${content} ${id === HIDDEN ? HIDDEN : word(id)}${title} ${whereIs(one)}: event-sync explain ${integration} ${content} ${item}\n`
  })
  return `\nWith that name or address:\n${lines.join('')}`
}

function whereIs({ standing, removedBy, goneSince }: SoughtItem): string {
  if (removedBy !== null) {
    const { reason } = removedBy
    const why = `because ${removedBecause(reason)} (${visible(reason)})`
    return `was removed from the app by ${named(removedBy)}, ${why}`
  }
  const gone =
    goneSince === null
      ? ''
      : `${standing === 'gone' ? ', and' : ', but'} the source no longer had its record in ${named(goneSince)}`
  return `${WHERE[standing]}${gone}`
}

const WHERE: Readonly<Record<SoughtItem['standing'], string>> = {
  in_app: 'is in the app',
  removed: 'was removed from the app',
  gone: 'is not in the app',
  not_sent: 'is not in the app yet',
}

/**
 * Returns the position of a group in the output. Groups in which somebody must act come first, then hints,
 * then records that need no action, and last people who do not speak.
 */
function rankOf({ heading, rows }: Group): number {
  if (rows[0]?.reason === 'not_a_speaker') return 3
  if (isHint(rows[0])) return 1
  return heading.startsWith('Nothing') ? 2 : 0
}

function isHint(row: Missing | undefined): boolean {
  return row?.reason.startsWith('hint:') === true
}
