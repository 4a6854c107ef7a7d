import { Argument, Option } from 'commander'
import { findNamingRuns } from '../../loaders/people/forgotten.ts'
import type { Sought } from '../../loaders/people/person.ts'
import type { Scrubbed } from '../../sql/database.ts'
import type { Content } from '../../sql/tables.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { emitStep } from '../context/open-run.ts'
import type { Context } from '../context/run-context.ts'
import { codeOfReports } from '../inspect/state.ts'
import { withoutSending } from '../observe/emit.ts'
import { type ForgetResult, forget, scrubForgotten } from '../people/forget.ts'
import { findOne, type SoughtItem } from '../people/sought.ts'
import { irremovableOf } from '../run/irremovable.ts'
import { runIntegration } from '../run/run.ts'
import { EXIT, type RunReport, worst } from '../runtime/report.ts'
import type { ForgottenJson } from '../schemas/people.ts'
import { UserError } from '../settings/errors.ts'
import {
  ID,
  integrationOf,
  readSought,
  reasonOption,
  refuseAddress,
  SOUGHT_PERSON_OPTIONS,
  type SoughtOptions,
} from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import { describeReport, toJson } from './print-report.ts'

interface Options extends SoughtOptions {
  readonly remove?: boolean
  readonly delivered?: boolean
  readonly mentions?: boolean
  readonly vacuumFull?: boolean
  readonly reason?: string
}

const HELP = `
It needs sealingKey: later reads recognise the person by a keyed hash of id and address, and drop their records.
Without --remove the next run removes the person from the platform. It can be interrupted at any moment, and run again.
Exit code 1 if the person is unknown, 3 if a pack could not be rewritten.

Examples:
  event-sync forget summit attendees 4711 --remove
  event-sync forget summit attendees --email < address.txt    anyone who has that address
  event-sync forget summit attendees --name -                 the one person with the name on standard input
  event-sync forget summit attendees 4711 --delivered         once operations.jsonl was taken to the platform`

export const addForgetCommand = defineCommand({
  name: 'forget',
  summary: 'erase a person: from the database, from packs, and from what later runs read',
  help: HELP,
  exits: ['failed', 'incomplete', 'locked', 'usage'],
  args: [
    ID,
    new Argument('<content>', 'speakers or attendees; the person is erased from both'),
    new Argument('[unique-id]', 'id of the person; left out with --email or --name'),
  ],
  options: [
    ...SOUGHT_PERSON_OPTIONS,
    new Option('--remove', 'run the integration at once, which removes the person from the platform'),
    new Option('--delivered', 'operations files have reached the platform: remove the person from those too'),
    new Option('--mentions', 'erase the id from records of others too, in fields not known to name people'),
    reasonOption('why, for the log, which keeps it; name nobody'),
    new Option('--vacuum-full', 'on PostgreSQL: rewrite tables, which locks them meanwhile'),
  ],
  async run(
    { options, io, global, open }: Call<Options>,
    id: string,
    content: string,
    uniqueId: string | undefined,
  ) {
    if (content !== 'speakers' && content !== 'attendees')
      throw new UserError('usage', `"${content}" holds no people`, 'give speakers or attendees')
    refuseAddress(content, uniqueId)
    const named = await readSought(io, content, uniqueId, options)
    return open(async (context) => {
      const integration = integrationOf(context.config, id)
      const sought = await toSought(context, integration, content, named, global.showPersonal)
      const { delivered: isDelivered = false, mentions: erasesIdMentions = false, reason = null } = options
      const forgotten = await withoutSending(
        emitStep(context, id, 'erase', { number: 1, of: 2 }, () =>
          forget(context, integration, { sought, isDelivered, erasesIdMentions, reason }),
        ),
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
      const scrub = () => scrubForgotten(context, id, options.vacuumFull === true)
      const scrubbing = isKnown ? emitStep(context, id, 'scrub', { number: 2, of: 2 }, scrub) : null
      // With --remove, a run has already sent changes to the platform. An error message must then not say
      // that nothing was sent to the platform.
      const scrubbed = await (scrubbing === null || runs.length > 0 ? scrubbing : withoutSending(scrubbing))
      const { engine } = context.database
      const isRemovable = !irremovableOf(integration).includes('attendees')
      printForgotten(io, { forgotten, runs, naming, scrubbed, engine, isRemovable }, global.json)
      return worst([
        isKnown ? EXIT.ok : EXIT.failed,
        forgotten.packs.left.length > 0 ? EXIT.incomplete : EXIT.ok,
        codeOfReports(context, runs),
      ])
    })
  },
})

const RUN = { command: 'run' } as const

/**
 * If the user named the person by words of the name, replaces the name by the id of the one person who has
 * it. If the user gave an e-mail address, everyone with this address is meant, and the address stays.
 */
async function toSought(
  { database }: Context,
  integration: IntegrationConfig,
  content: Content,
  named: SoughtItem,
  showPersonal: boolean,
): Promise<Sought> {
  if (!('words' in named)) return named
  const [id] = await findOne(database.kysely, integration, content, named, showPersonal)
  return { id }
}

/** The report of `forget`. The report contains counts and names of tables, but no personal data. */
interface ForgetReport {
  readonly forgotten: ForgetResult
  readonly runs: readonly RunReport[]
  /**
   * Runs whose `operations.jsonl` contains the person's id. The id is there because the platform needs it to
   * remove the person.
   */
  readonly naming: readonly string[]
  readonly scrubbed: Scrubbed | null
  readonly engine: 'pglite' | 'postgres'
  /** False if the platform cannot remove attendees. */
  readonly isRemovable: boolean
}

export function printForgotten(io: CommandIo, report: ForgetReport, json: boolean): void {
  const output = json || report.forgotten.status === 'unknown' ? io.stderr : io.stdout
  output.write(describeForgotten(report))
  if (json) io.stdout.write(`${JSON.stringify(toShape(report))}\n`)
}

function toShape({ forgotten, runs, naming, scrubbed, engine }: ForgetReport): ForgottenJson {
  const { packs, ...rest } = forgotten
  return {
    ...rest,
    packs: { reissued: packs.runs, unsigned: packs.unsigned, left: packs.left },
    operationsNaming: naming,
    notReached: notReached(scrubbed, engine),
    runs: runs.map(toJson),
  }
}

function describeForgotten(report: ForgetReport): string {
  const { forgotten, runs, naming, scrubbed, engine, isRemovable } = report
  const {
    integration,
    status,
    places,
    sharing,
    mentions,
    idMentions,
    onPlatform,
    alsoReadBy,
    exports,
    packs,
  } = forgotten
  if (status === 'unknown') {
    return `${integration}: no such person is known; look the id up in published.decisions with \`event-sync sql\`, or use --email or --name\n`
  }
  const lines = [
    status === 'again'
      ? `${integration}: the person was already forgotten`
      : `${integration}: the person is forgotten; later reads drop their records`,
  ]
  const line = (label: string, text: string) => lines.push(`  ${label.padEnd(12)} ${text}`)
  for (const text of forgotten.takenIn) line('taken in', text)
  /** Adds a line if the count is above 0. */
  const some = (label: string, count: number, what: string, text: string) => {
    if (count > 0) line(label, counted(count, what) + text)
  }
  for (const [table, rows] of Object.entries(places)) line('erased', `${table}: ${counted(rows, 'row')}`)
  some('packs', packs.runs.length, 'pack', ' rewritten; the old manifests are kept as links of the chain')
  some('exports', exports.length, 'folder', EXPORTS)
  for (const run of packs.unsigned)
    line('unsigned', `${run}: it had a signature and now has none, because audit.signingKey is not set`)
  for (const { pack, why } of packs.left) line('NOT REACHED', `pack ${pack}: ${why}`)
  for (const run of naming) line('named', `operations.jsonl of run ${run}${NAMED}`)
  const isRemoved = isRemovable && runs.some((run) => run.status === 'finished')
  if (onPlatform > 0 && !isRemoved)
    line('platform', `it still has ${counted(onPlatform, 'item')}${isRemovable ? ON_PLATFORM : STAYS}`)
  some('address', sharing, 'record', SHARING)
  some('texts', mentions, 'version', MENTIONS)
  some('ids', idMentions, 'version', ID_MENTIONS)
  for (const reader of alsoReadBy) line('NOT REACHED', reader + ALSO_READ)
  if (scrubbed !== null) line('database', scrubbed.done)
  for (const text of notReached(scrubbed, engine)) line('not reached', text)
  return [`${lines.join('\n')}\n`, ...runs.map((run) => describeReport(run))].join('')
}

const NAMED =
  ', because the platform needs the id to remove the person; run forget with --delivered once the file has been delivered'
const ON_PLATFORM = ' of people who were forgotten; the next run removes them (forgotten)'
const STAYS =
  ' of people who were forgotten; this type of platform cannot remove them, so remove them there by hand'
const SHARING =
  ' of others have the same address, so later reads do not drop records by that address; --email forgets everyone who has it'
const MENTIONS = ' of other records have the address or the id in a text; change the text at the source'
const ID_MENTIONS =
  ' of other records have the same id in a field that is not known to refer to people; forget with --mentions erases it, but the next read restores it while the source still has it'
const ALSO_READ = ' has read the same source event and still has the data: forget the person there too'
const EXPORTS = ' of files for other tools deleted; `event-sync export RUN --format` writes them again'
const ON_SERVER =
  'the write-ahead log, replicas, samples in old statistics and the log of the server, until they are overwritten'

/**
 * Returns the places where the person's data may remain because no command of this product can erase it
 * there.
 */
function notReached(scrubbed: Scrubbed | null, engine: ForgetReport['engine']): readonly string[] {
  return [
    ...(scrubbed?.left ?? []),
    ...(engine === 'postgres' ? [ON_SERVER] : []),
    'another database with another output folder, which syncs the person again unless you copy the suppressions there with `event-sync suppressions`; it needs the same sealingKey',
    'backups, copies of packs elsewhere, files of `event-sync export -o`, and free blocks of the disk',
    'the platform itself, and log files kept elsewhere (our lines hold no values)',
  ]
}
