import { Option } from 'commander'
import { type Action, findActions } from '../../loaders/ledger/actions.ts'
import { toCsv } from '../../loaders/packs/csv-files/csv.ts'
import { EXIT } from '../runtime/report.ts'
import type { ActionRow } from '../schemas/setup.ts'
import { ID, integrationOf, wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { toTable } from './io.ts'
import { withStored } from './session.ts'
import { shortTime } from './status.ts'

const HELP = `
Lists approvals, pauses, rollbacks, suppressions, forgotten people, purges, other bindings and other keys, the newest first. Lines have at
most 120 characters, and name runs by the last 8 characters of their ids; --json and --csv have all. published.actions has the same in SQL.
Whom suppress left out, and why, is not here: \`event-sync suppress ID\` lists it, and forget erases it.

Examples:
  event-sync log summit                who did what, when and why
  event-sync log summit --limit 100    the last hundred
  event-sync log summit --csv > log.csv`

interface Options {
  readonly csv?: boolean
  readonly limit: number
}

export const addLogCommand = defineCommand({
  name: 'log',
  summary: 'what operators did with an integration: when, who and why',
  help: HELP,
  args: [ID],
  options: [
    new Option('--csv', 'CSV on standard output, one row an action'),
    new Option('--limit <n>', 'most actions').argParser(wholeNumber(1)).default(20),
  ],
  run: ({ options, io, global }: Call<Options>, id: string) =>
    withStored(global, io, async (db, { config }) => {
      const actions = (await findActions(db, { integrationId: id }, options.limit)).map(toRow)
      // The database still has the actions of an integration that was deleted from the configuration. An id
      // that has no actions and is not configured is treated as a typing error.
      if (actions.length === 0) integrationOf(config, id)
      if (options.csv === true) {
        const rows = actions.map((row) => [id, ...COLUMNS.map((name) => row[name])])
        io.stdout.write(toCsv([['integration', ...COLUMNS], ...rows]))
        return EXIT.ok
      }
      const text = actions.length === 0 ? `nobody has done anything with ${id} yet\n` : describe(actions)
      return { text, json: { integration: id, actions } }
    }),
})

const COLUMNS = [
  'actionId',
  'at',
  'action',
  'operator',
  'run',
  'until',
  'reason',
  'detail',
] as const satisfies readonly (keyof ActionRow)[]

function toRow({
  actionId,
  action,
  madeAt: at,
  madeBy: operator,
  runId: run,
  until,
  reason,
  detail,
}: Action): ActionRow {
  return { actionId, at, action, operator, run, until, reason, detail }
}

/** Number of characters of a run id in the log. `show` accepts these last characters of the id. */
const SHOWN_OF_RUN = 8

function describe(actions: readonly ActionRow[]): string {
  return toTable(
    ['time', 'action', 'operator', 'run', 'until', 'reason', 'detail'],
    actions.map(({ at, action, operator, run, until, reason, detail }) => [
      shortTime(at),
      action,
      operator,
      run === null ? null : run.slice(-SHOWN_OF_RUN),
      shortTime(until),
      reason,
      detail,
    ]),
    ['detail', 'reason', 'operator'],
  )
}
