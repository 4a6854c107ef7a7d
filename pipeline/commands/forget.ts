import type { Command } from 'commander'
import { findNamingRuns } from '../../loaders/forgetting/forgotten.ts'
import type { Scrubbed } from '../../sql/database.ts'
import { counted } from '../../transforms/guards/guard-finding.ts'
import { type Forgotten, forget, scrubForgotten } from '../erasure/forget.ts'
import { withoutSending } from '../observe/emit.ts'
import { runIntegration } from '../run/run.ts'
import { EXIT, type RunReport, worst } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { codeOfReports } from '../status/status.ts'
import { isAddress } from '../text/personal.ts'
import { integrationOf } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { describeReport, toJson } from './print-report.ts'
import { type GlobalOptions, withContext } from './session.ts'

interface Options {
  readonly email?: boolean
  readonly remove?: boolean
  readonly delivered?: boolean
  readonly mentions?: boolean
  readonly vacuumFull?: boolean
}

const HELP = `
It needs sealingKey: later reads know the person again by a keyed hash of id and address, and drop what they find.
Without --remove the next run removes the person from the platform. It can be killed at any moment, and done again.
Exit code 1 where nothing is known of the person, 3 where a pack could not be written again.

Examples:
  event-sync forget summit attendees 4711 --remove
  event-sync forget summit attendees --email < address.txt    anyone who has that address
  event-sync forget summit attendees 4711 --delivered         once operations.jsonl was taken to the platform`

export function addForgetCommand(program: Command, io: CommandIo, exit: (code: number) => void): void {
  program
    .command('forget')
    .description('erase a person: from the database, from packs, and from what later runs read')
    .argument('<id>', 'integration')
    .argument('<content>', 'speakers or attendees; the person is erased from both')
    .argument('[unique-id]', 'id of the person; left out with --email')
    .option('--email', 'read the e-mail address of the person from standard input')
    .option('--remove', 'run the integration at once, which removes the person from the platform')
    .option('--delivered', 'operations files have reached the platform: take the person out of those too')
    .option('--mentions', 'erase the id from records of others too, in fields not known to name people')
    .option('--vacuum-full', 'on PostgreSQL: rewrite tables, which locks them meanwhile')
    .addHelpText('after', HELP)
    .action(async (id: string, content: string, uniqueId: string | undefined, options: Options) => {
      const global = program.opts<GlobalOptions>()
      if (content !== 'speakers' && content !== 'attendees')
        throw new UserError('usage', `"${content}" holds no people`, 'there are: speakers, attendees')
      const sought =
        options.email === true ? { address: await readAddress(io, uniqueId) } : { id: idOf(uniqueId) }
      const code = await withContext(global, io, async (context) => {
        const integration = integrationOf(context.config, id)
        const { delivered: isDelivered = false, mentions: erasesIdMentions = false } = options
        const forgotten = await withoutSending(
          forget(context, integration, { sought, isDelivered, erasesIdMentions }),
        )
        if (forgotten === null) {
          const error = `${id} is locked by another process; wait until it ends`
          io.stderr.write(`${error}\n`)
          if (global.json) io.stdout.write(`${JSON.stringify({ error })}\n`)
          return EXIT.locked
        }
        const isKnown = forgotten.status !== 'unknown'
        const runs = isKnown && options.remove ? await runIntegration(context, integration, RUN) : []
        const naming = await findNamingRuns(context.database.kysely, id)
        const scrubbed = isKnown ? await scrubForgotten(context, id, options.vacuumFull === true) : null
        const { engine } = context.database
        printForgotten(io, { forgotten, runs, naming, scrubbed, engine }, global.json)
        return worst([
          isKnown ? EXIT.ok : EXIT.failed,
          forgotten.packs.left.length > 0 ? EXIT.incomplete : EXIT.ok,
          codeOfReports(context, runs),
        ])
      })
      exit(code)
    })
}

const RUN = { command: 'run' } as const

/** @throws UserError where there is none, or it is an address, which would be in lists of processes and shells */
function idOf(uniqueId: string | undefined): string {
  if (uniqueId === undefined)
    throw new UserError('usage', 'it is not said who', 'give the id of the person, or --email')
  if (!isAddress(uniqueId)) return uniqueId
  throw new UserError(
    'usage',
    'an e-mail address does not belong in a command line, where others can see it',
    'give it on standard input, with --email',
  )
}

async function readAddress(io: CommandIo, uniqueId: string | undefined): Promise<string> {
  if (uniqueId !== undefined)
    throw new UserError('usage', 'the id of the person and --email exclude each other', 'give one of them')
  if (io.stdin.isTTY) io.stderr.write('e-mail address: ')
  let text = ''
  for await (const chunk of io.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  const address = text.split('\n')[0]?.trim().toLowerCase() ?? ''
  if (address.includes('@')) return address
  throw new UserError('usage', 'standard input has no e-mail address in its first line')
}

/** The report of `forget`: counts and places, no value of a person. */
interface ForgetReport {
  readonly forgotten: Forgotten
  readonly runs: readonly RunReport[]
  /** Runs whose operations file names the person, since the platform has to know whom to remove. */
  readonly naming: readonly string[]
  readonly scrubbed: Scrubbed | null
  readonly engine: 'pglite' | 'postgres'
}

export function printForgotten(io: CommandIo, report: ForgetReport, json: boolean): void {
  const output = json || report.forgotten.status === 'unknown' ? io.stderr : io.stdout
  output.write(describeForgotten(report))
  if (json) io.stdout.write(`${JSON.stringify(toShape(report))}\n`)
}

function toShape({ forgotten, runs, naming, scrubbed, engine }: ForgetReport) {
  const { packs, ...rest } = forgotten
  return {
    ...rest,
    packs: { reissued: packs.runs, unsigned: packs.unsigned, left: packs.left },
    operationsNaming: naming,
    notReached: notReached(scrubbed, engine),
    runs: runs.map(toJson),
  }
}

function describeForgotten({ forgotten, runs, naming, scrubbed, engine }: ForgetReport): string {
  const { integration, status, places, sharing, mentions, idMentions, onPlatform, alsoReadBy, packs } =
    forgotten
  if (status === 'unknown') {
    return `${integration}: nothing is known of such a person; \`event-sync sql\` finds ids in published.decisions, --email goes by the address\n`
  }
  const lines = [
    status === 'again'
      ? `${integration}: the person is forgotten already`
      : `${integration}: the person is forgotten; what a later read brings is dropped`,
  ]
  const line = (label: string, text: string) => lines.push(`  ${label.padEnd(12)} ${text}`)
  /** A line where there are any. */
  const some = (label: string, count: number, what: string, text: string) => {
    if (count > 0) line(label, counted(count, what) + text)
  }
  for (const [table, rows] of Object.entries(places)) line('erased', `${table}: ${counted(rows, 'row')}`)
  some('packs', packs.runs.length, 'pack', ' written again, the old manifests kept as links of the chain')
  for (const run of packs.unsigned) line('unsigned', `${run}: it had a signature; configure audit.signingKey`)
  for (const { pack, why } of packs.left) line('NOT REACHED', `pack ${pack}: ${why}`)
  for (const run of naming) line('named', `operations.jsonl of run ${run}${NAMED}`)
  const isRemoved = runs.some((run) => run.status === 'finished')
  if (onPlatform > 0 && !isRemoved)
    line('platform', `it still has ${counted(onPlatform, 'item')}${ON_PLATFORM}`)
  some('address', sharing, 'record', SHARING)
  some('texts', mentions, 'version', MENTIONS)
  some('ids', idMentions, 'version', ID_MENTIONS)
  for (const reader of alsoReadBy) line('NOT REACHED', reader + ALSO_READ)
  if (scrubbed !== null) line('database', scrubbed.done)
  for (const text of notReached(scrubbed, engine)) line('not reached', text)
  return [`${lines.join('\n')}\n`, ...runs.map((run) => describeReport(run))].join('')
}

const NAMED =
  ', since the platform has to be told whom to remove; --delivered takes that out, once the file was taken'
const ON_PLATFORM = ' of people who were forgotten; the next run removes them (forgotten)'
const SHARING =
  ' of others have the same address, so it is not dropped by that; --email forgets all who have it'
const MENTIONS = ' of other records have the address in a text that the source wrote; change it there'
const ID_MENTIONS =
  ' of other records have the same id in a field that is not known to name people; forget with --mentions erases it there, and the next read brings back what the source still says'
const ALSO_READ = ' has read the same source event and keeps what it has read: forget the person there too'
const ON_SERVER =
  'the write-ahead log, replicas, samples in old statistics and the log of the server, until they are written over'

/** What no command of ours can reach. */
function notReached(scrubbed: Scrubbed | null, engine: ForgetReport['engine']): readonly string[] {
  return [
    ...(scrubbed?.left ?? []),
    ...(engine === 'postgres' ? [ON_SERVER] : []),
    'another database, which syncs the person again unless `event-sync suppressions` copies there what is kept here, under the same sealingKey',
    'backups, copies of packs elsewhere, and free blocks of the disk',
    'the platform itself, and the log files of anyone who keeps them (our lines hold no values)',
  ]
}
