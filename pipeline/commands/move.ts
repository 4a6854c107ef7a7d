import { Option } from 'commander'
import { findMoves } from '../../loaders/ledger/moves.ts'
import type { Database } from '../../sql/database.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { readConfig, resolveSecret } from '../config/config.ts'
import { recordAction } from '../context/record-action.ts'
import type { Context } from '../context/run-context.ts'
import { findSchedules } from '../database/job-queue.ts'
import { type CopiedTable, type Moved, moveDatabase, type TableStep } from '../database/move.ts'
import { embeddedFolder } from '../database/private-folder.ts'
import { withoutSending } from '../observe/emit.ts'
import { duration } from '../runtime/duration.ts'
import { pointsOf } from '../runtime/events.ts'
import { UserError } from '../settings/errors.ts'
import { isReference, type SecretReference } from '../settings/values.ts'
import { outsideSourcesOf } from '../sources/registry.ts'
import { type Call, defineCommand, type Output } from './define-command.ts'
import { type GlobalOptions, liveFor, openServer } from './session.ts'

const HELP = `
Copies the whole history into an empty database of PostgreSQL 15 or newer, compares both, and marks the old database, which then
refuses runs. It sends nothing. Nothing else can work with the old database meanwhile. If it is interrupted, the same command goes on; until it
has ended, the old database stays in use. Schedules and jobs of workers are not moved: \`event-sync schedule\` makes them again.
There is no way back into the old database, but the new one can be moved again.

Examples:
  event-sync move --to env:NEW_DATABASE_URL
  event-sync move --to file:/run/secrets/new-database`

export const addMoveCommand = defineCommand({
  name: 'move',
  summary: 'take the whole database, with all history, to a PostgreSQL',
  help: HELP,
  options: [
    new Option(
      '--to <reference>',
      'where the URL of the new database is kept: env:NAME or file:PATH',
    ).makeOptionMandatory(),
  ],
  onMoved: 'allowed',
  run: ({ options: { to }, open, io, global }: Call<{ readonly to: string }>) =>
    open(async (context) => {
      // The message does not show the value of `--to`, because the value can be an address with a password.
      if (!isReference(to))
        throw new UserError(
          'usage',
          '--to: must be env:NAME or file:PATH, not the address itself (not shown)',
        )
      const configuration = changeOf(global, context, to)
      const movedAt = await findMovedHere(context, to)
      if (movedAt !== null)
        return { text: describeMovedHere(to, movedAt), json: { to, moved: false, movedAt } }
      const detail = `from ${ENGINES[context.database.engine]} to ${ENGINES.postgres}`
      const database = await withoutSending(openServer(to, context.secrets, '--to'))
      const moved = await withoutSending(
        moveDatabase({
          from: context.database,
          to: database,
          outside: outsideSourcesOf(context.config),
          environment: context.environment,
          record: (transaction, id) => recordAction(transaction, context, id, 'moved', { detail }),
          at: pointsOf(context.events, ''),
          ...showTables(),
        }),
      ).finally(() => database.close())
      return outputOf(moved, to, configuration, context)

      /** Shows the progress of a move at a terminal. */
      function showTables() {
        const live = liveFor(io, global)
        const { monotonic } = context.environment
        let sinceMs = monotonic()
        return {
          begun({ step, table, number, of }: TableStep) {
            sinceMs = monotonic()
            live?.show([`[${number}/${of}] ${step} ${table}`])
            if (step === 'compare' && number === of) live?.erase()
          },
          copied({ number, of }: TableStep, { table, rows, isEarlier }: CopiedTable) {
            if (live === null) return
            const time = isEarlier ? 'was copied before' : duration(monotonic() - sinceMs)
            live.erase()
            io.stderr.write(`[${number}/${of}] ${table} ${counted(rows, 'row', inGroups)} ${time}\n`)
          },
        }
      }
    }),
})

/** Kinds of databases, for the log. It contains no address: that could contain a password. */
const ENGINES = { pglite: 'the embedded database', postgres: 'PostgreSQL' } as const

/**
 * The new line for the configuration, which names the new database, and the position of the line that it
 * replaces.
 */
interface ConfigurationChange {
  /** Position of the line, in the form FILE:LINE:COLUMN; null if the configuration names no database. */
  readonly place: string | null
  readonly line: string
}

function changeOf({ config }: GlobalOptions, { secrets }: Context, to: SecretReference): ConfigurationChange {
  const file = readConfig(config, secrets)
  const isNamed = typeof file.value === 'object' && file.value !== null && 'database' in file.value
  const place = isNamed ? file.placeOf(['database']) : null
  return {
    place: place === null ? null : `${place.file}:${place.line}:${place.column}`,
    line: `database: ${to}`,
  }
}

/**
 * Returns when an earlier move to the configured database ended, if `--to` names the configured database;
 * null if `--to` names another database.
 *
 * @throws UserError if `--to` names the configured database, and no move to it has ended
 */
async function findMovedHere({ config, secrets, database }: Context, to: SecretReference) {
  if (config.database === undefined) return null
  const [here, there] = [
    resolveSecret(config.database, secrets, 'database'),
    resolveSecret(to, secrets, '--to'),
  ]
  if (here.reveal() !== there.reveal()) return null
  const movedAt = (await findMoves(database.kysely)).find(({ part }) => part === 'new')?.movedAt
  if (typeof movedAt === 'string') return movedAt
  throw new UserError(
    'usage',
    `--to: ${to} is the database that the configuration names`,
    'name another one; nothing was copied',
  )
}

function describeMovedHere(to: SecretReference, movedAt: string): string {
  return `the configuration already names the database of ${to}, to which everything was moved at ${movedAt}; nothing was copied\n`
}

async function outputOf(
  moved: Moved,
  to: SecretReference,
  configuration: ConfigurationChange,
  context: Context,
): Promise<Output> {
  const { isEarlier, moveId, movedAt, tables } = moved
  const hasSchedules = (await findSchedules(context.database)).size > 0
  const rows = tables.reduce((sum, one) => sum + one.rows, 0)
  const what = `${counted(tables.length, 'table')}, ${counted(rows, 'row', inGroups)}`
  const done = isEarlier
    ? `everything was moved to the database of ${to} at ${movedAt}: ${what}; nothing was copied now`
    : `moved to the database of ${to}: ${what}; counts and hashes are equal in both databases`
  const text = [
    done,
    '',
    'to do',
    `  ${describeChange(configuration)}`,
    ...(hasSchedules ? ['  event-sync schedule, which makes the schedules in the new database'] : []),
    '  event-sync run, which goes on where the last run ended',
    '  psql with sql/roles/grant.sql, if other users read or load the database: their rights do not move',
    '',
    `The old database (${nameOf(context.database, context)}) refuses runs. It still has values of people, and \`forget\` does not reach it:`,
    'delete it as soon as the new one has proved itself.',
    '',
  ].join('\n')
  return { text, json: { to, moved: !isEarlier, moveId, movedAt, configuration, tables }, alsoText: true }
}

function describeChange({ place, line }: ConfigurationChange): string {
  return place === null ? `add to the configuration: ${line}` : `${place}: change the line to: ${line}`
}

function nameOf({ engine }: Database, { config, secrets }: Context): string {
  return engine === 'pglite' ? embeddedFolder(secrets) : `of ${config.database}`
}

/** Writes a number with commas between groups of three digits: `1,200,000`. */
function inGroups(count: number): string {
  return count.toLocaleString('en')
}
