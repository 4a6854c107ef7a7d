import type { Command } from 'commander'
import { findNamingRuns } from '../../loaders/forgetting/platform.ts'
import { forget, scrubForgotten } from '../erasure/forget.ts'
import { withoutSending } from '../observe/emit.ts'
import { runIntegration } from '../run/run.ts'
import { EXIT, worst } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { codeOfReports } from '../status/run-outcome.ts'
import { isAddress } from '../text/personal.ts'
import { integrationOf } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { printForgotten } from './print-forgotten.ts'
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
