import { Option } from 'commander'
import { toCsv } from '../../loaders/packs/csv-files/csv.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { findMissing, type Missing } from '../inspect/missing.ts'
import { HIDDEN, HIDDEN_HINT } from '../runtime/personal.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import { ID, integrationOf, readSoughtBy, SOUGHT_OPTIONS, type SoughtOptions } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { type CommandIo, toTable } from './io.ts'
import { withStored } from './session.ts'

/** Maximum number of records that the text shows in each group. `--csv` and `--json` print all records. */
const SHOWN = 20

const COLUMNS = ['content', 'id', 'name', 'reason', 'why', 'todo'] as const

const HELP = `
Lists what the last read left out, could not read, or sent and the platform rejected, grouped by what can be done about it; groups that
need somebody come first. Names of people are hidden without --show-personal.

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
      const { lastRead, pages } = await findMissing(db, integration, { showPersonal, sought })
      const read = `run ${lastRead.run_id} of ${lastRead.started_at.toISOString()}`
      const none =
        sought === null ? 'every record has its item' : 'no record with that name or address is missing'
      if (options.csv === true) await printCsv(io, id, pages)
      else if (global.json) await printJson(io, { integration: id, run: lastRead.run_id }, pages)
      else await printText(io, { id, read, none }, pages)
      return EXIT.ok
    })
  },
})

interface Options extends SoughtOptions {
  readonly csv?: boolean
}

type Pages = AsyncIterable<readonly Missing[]>

async function printCsv(io: CommandIo, id: string, pages: Pages): Promise<void> {
  io.stdout.write(toCsv([['integration', ...COLUMNS]]))
  for await (const page of pages)
    if (page.length > 0) io.stdout.write(toCsv(page.map((row) => [id, ...COLUMNS.map((name) => row[name])])))
}

async function printJson(io: CommandIo, head: object, pages: Pages): Promise<void> {
  io.stdout.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  let isFirst = true
  for await (const page of pages) {
    for (const row of page) {
      io.stdout.write(`${isFirst ? '' : ','}${toVisibleJson(row)}`)
      isFirst = false
    }
  }
  io.stdout.write(']}\n')
}

interface Group {
  readonly rows: Missing[]
  count: number
}

interface Texts {
  readonly id: string
  readonly read: string
  /** Text that is printed if no record is missing. */
  readonly none: string
}

async function printText(io: CommandIo, { id, read, none }: Texts, pages: Pages): Promise<void> {
  const groups = new Map<string, Group>()
  for await (const page of pages) {
    for (const row of page) {
      const group = groups.get(row.todo) ?? { rows: [], count: 0 }
      groups.set(row.todo, group)
      group.count += 1
      if (group.rows.length < SHOWN) group.rows.push(row)
    }
  }
  const hints = [...groups.values()].reduce((sum, { rows, count }) => sum + (isHint(rows[0]) ? count : 0), 0)
  const all = [...groups].sort((one, other) => rankOf(one) - rankOf(other))
  const total = all.reduce((sum, [, { count }]) => sum + count, 0)
  const left = total - hints
  const what = left === 0 ? none : `${counted(left, 'record')} left out, unreadable or rejected`
  io.stdout.write(`${id}: ${what}${hints === 0 ? '' : `; ${counted(hints, 'hint')}`}, as of ${read}\n`)
  let isHidden = false
  for (const [todo, { rows, count }] of all) {
    isHidden ||= rows.some(({ id: shownId, name }) => shownId === HIDDEN || name === HIDDEN)
    const cells = rows.map((row) => [row.content, row.id, row.name, row.why])
    const more =
      count > rows.length ? `and ${counted(count - rows.length, 'more record')}: --csv has all\n` : ''
    io.stdout.write(`\n${todo} (${count})\n\n${toTable(['content', 'id', 'name', 'why'], cells)}${more}`)
  }
  if (isHidden) io.stdout.write(`\n${HIDDEN_HINT}`)
}

/**
 * Returns the position of a group in the output. Groups in which somebody must act come first, then hints,
 * then records that need no action, and last people who do not speak.
 */
function rankOf([todo, { rows }]: readonly [string, Group]): number {
  if (rows[0]?.reason === 'not_a_speaker') return 3
  if (isHint(rows[0])) return 1
  return todo.startsWith('Nothing') ? 2 : 0
}

function isHint(row: Missing | undefined): boolean {
  return row?.reason.startsWith('hint:') === true
}
