import type { Command } from 'commander'
import { findNamingRuns } from '../../loaders/forgetting/platform.ts'
import { tablesOfPeople } from '../../loaders/forgetting/tables.ts'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { TRANSFORMS } from '../extract/registry.ts'
import { type Forgotten, forget } from '../forgetting/forget.ts'
import { EXIT, exitCodeOf, type RunReport, worst } from '../report.ts'
import { runIntegration } from '../run.ts'
import type { Context } from '../run-context.ts'
import { isAddress } from './personal.ts'
import { printForgotten } from './print-forgotten.ts'
import { integrationOf, maxQuarantined } from './run.ts'
import { type GlobalOptions, withContext } from './session.ts'

interface Options {
  readonly email?: boolean
  readonly remove?: boolean
  readonly delivered?: boolean
  readonly vacuumFull?: boolean
}

/** `event-sync forget ID CONTENT UNIQUE_ID`. */
export function addForgetCommand(program: Command, exit: (code: number) => void): void {
  program
    .command('forget')
    .description('erase a person: from the database, from packs, and from what later runs read')
    .argument('<id>', 'integration')
    .argument('<content>', 'speakers or attendees; the person is erased from both')
    .argument('[unique-id]', 'id of the person; left out with --email')
    .option('--email', 'read the e-mail address of the person from standard input')
    .option('--remove', 'run the integration at once, which removes the person from the platform')
    .option('--delivered', 'operations files have reached the platform: take the person out of those too')
    .option('--vacuum-full', 'on PostgreSQL: write tables anew, which locks them meanwhile')
    .addHelpText(
      'after',
      `
It needs sealingKey: later reads know the person again by a keyed hash of id and address, and drop what they find.
Without --remove the next run removes the person from the platform. It can be killed at any moment, and done again.
Exit code 1 where nothing is known of the person, 3 where a pack could not be written again.

Examples:
  event-sync forget summit attendees 4711 --remove
  event-sync forget summit attendees --email < address.txt    whoever has that address
  event-sync forget summit attendees 4711 --delivered         once operations.jsonl was taken to the platform`,
    )
    .action(async (id: string, content: string, uniqueId: string | undefined, options: Options) => {
      const global = program.opts<GlobalOptions>()
      requirePeople(content)
      const sought =
        options.email === true ? { address: await readAddress(uniqueId) } : { id: idOf(uniqueId) }
      const code = await withContext(global, async (context) => {
        const integration = integrationOf(context.config, id)
        const isDelivered = options.delivered === true
        const forgotten = await forget(context, integration, { sought, isDelivered })
        if (forgotten === null) {
          process.stderr.write(`${id} is locked by another process; wait until it ends\n`)
          return EXIT.locked
        }
        const isKnown = forgotten.status !== 'unknown'
        const runs = isKnown && options.remove === true ? await runAgain(context, integration) : []
        const naming = await findNamingRuns(context.database.kysely, id)
        const scrubbed = isKnown
          ? await context.database.scrub(tablesOfPeople(TRANSFORMS), {
              isThorough: options.vacuumFull === true,
              at: (point) => context.progress.at(id, point),
            })
          : null
        printForgotten({ forgotten, runs, naming, scrubbed, engine: context.database.engine }, global.json)
        return codeOf(context, forgotten, runs)
      })
      exit(code)
    })
}

function runAgain(context: Context, integration: IntegrationConfig): Promise<readonly RunReport[]> {
  return runIntegration(context, integration, { command: 'run', rebind: false, fresh: false })
}

function codeOf(context: Context, { status, packs }: Forgotten, runs: readonly RunReport[]): number {
  return worst([
    status === 'unknown' ? EXIT.failed : EXIT.ok,
    packs.left.length > 0 ? EXIT.incomplete : EXIT.ok,
    ...runs.map((report) => exitCodeOf(report, maxQuarantined(context, report))),
  ])
}

/** @throws ConfigError for agenda: a session is no person */
function requirePeople(content: string): void {
  if (content === 'speakers' || content === 'attendees') return
  throw new ConfigError(`"${content}" holds no people; there are: speakers, attendees`)
}

/** @throws ConfigError where there is none, or it is an address, which would stand in lists of processes and shells */
function idOf(uniqueId: string | undefined): string {
  if (uniqueId === undefined) throw new ConfigError('whom? give the id of the person, or --email')
  if (!isAddress(uniqueId)) return uniqueId
  throw new ConfigError(
    'an e-mail address does not belong into a command line, where others can see it; give it on standard input, with --email',
  )
}

async function readAddress(uniqueId: string | undefined): Promise<string> {
  if (uniqueId !== undefined) throw new ConfigError('give the id of the person or --email, not both')
  if (process.stdin.isTTY) process.stderr.write('e-mail address: ')
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  const address = text.split('\n')[0]?.trim().toLowerCase() ?? ''
  if (address.includes('@')) return address
  throw new ConfigError('standard input has no e-mail address in its first line')
}
