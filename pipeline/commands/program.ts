import { Command, CommanderError, Option } from 'commander'
import { LOG_LEVELS } from '../runtime/log-levels.ts'
import { messageOf } from '../runtime/message-of.ts'
import { productVersion } from '../runtime/package-root.ts'
import { EXIT } from '../runtime/report.ts'
import type { AddCommand, Exit } from './define-command.ts'
import { type CommandIo, type CommandOutput, guarded } from './io.ts'
import { DEFAULT_CONFIG, namingConfig } from './naming-config.ts'
import { PAGES } from './pages.ts'
import { inOneLine, makeQuiet } from './quiet.ts'
import type { GlobalOptions } from './session.ts'

const EXAMPLES = `
Examples:
  event-sync demo                 see it work; needs nothing
  event-sync init                 write a commented event-sync.yaml
  event-sync check summit         is everything set up?
  event-sync plan summit          what would change; nothing is sent
  event-sync run                  read, plan, apply and audit every integration
  event-sync status               the state of each integration, and what to do
  event-sync help plan            options and examples of one command
`

const MORE = 'More: README.md, in the folder of the package, as all pages that the help names'

/**
 * The commands, in the order in which the help lists them. Each command is loaded only if it is used, because
 * loading takes most of the start time.
 */
const COMMANDS: readonly { readonly name: string; readonly load: () => Promise<AddCommand> }[] = [
  { name: 'demo', load: async () => (await import('./demo.ts')).addDemoCommand },
  { name: 'init', load: async () => (await import('./init.ts')).addInitCommand },
  { name: 'check', load: async () => (await import('./check.ts')).addCheckCommand },
  { name: 'notify', load: async () => (await import('./notify.ts')).addNotifyCommand },
  { name: 'run', load: async () => (await import('./run.ts')).addRunCommand },
  { name: 'plan', load: async () => (await import('./run.ts')).addPlanCommand },
  { name: 'apply', load: async () => (await import('./run.ts')).addApplyCommand },
  { name: 'rollback', load: async () => (await import('./rollback.ts')).addRollbackCommand },
  { name: 'pause', load: async () => (await import('./pause.ts')).addPauseCommand },
  { name: 'resume', load: async () => (await import('./pause.ts')).addResumeCommand },
  { name: 'status', load: async () => (await import('./status.ts')).addStatusCommand },
  { name: 'runs', load: async () => (await import('./runs.ts')).addRunsCommand },
  { name: 'show', load: async () => (await import('./runs.ts')).addShowCommand },
  { name: 'log', load: async () => (await import('./log.ts')).addLogCommand },
  { name: 'diff', load: async () => (await import('./diff.ts')).addDiffCommand },
  { name: 'explain', load: async () => (await import('./explain.ts')).addExplainCommand },
  { name: 'missing', load: async () => (await import('./missing.ts')).addMissingCommand },
  { name: 'quarantine', load: async () => (await import('./quarantine.ts')).addQuarantineCommand },
  { name: 'sql', load: async () => (await import('./sql.ts')).addSqlCommand },
  { name: 'serve-database', load: async () => (await import('./serve-database.ts')).addServeDatabaseCommand },
  { name: 'dbt-sources', load: async () => (await import('./dbt-sources.ts')).addDbtSourcesCommand },
  { name: 'export', load: async () => (await import('./export.ts')).addExportCommand },
  { name: 'evidence', load: async () => (await import('./evidence.ts')).addEvidenceCommand },
  { name: 'verify', load: async () => (await import('./verify.ts')).addVerifyCommand },
  { name: 'schedule', load: async () => (await import('./worker.ts')).addScheduleCommand },
  { name: 'worker', load: async () => (await import('./worker.ts')).addWorkerCommand },
  { name: 'suppress', load: async () => (await import('./suppress.ts')).addSuppressCommand },
  { name: 'unsuppress', load: async () => (await import('./suppress.ts')).addUnsuppressCommand },
  { name: 'forget', load: async () => (await import('./forget.ts')).addForgetCommand },
  { name: 'suppressions', load: async () => (await import('./suppress.ts')).addSuppressionsCommand },
  { name: 'purge', load: async () => (await import('./purge.ts')).addPurgeCommand },
  { name: 'rename', load: async () => (await import('./rename.ts')).addRenameCommand },
  { name: 'erase', load: async () => (await import('./erase.ts')).addEraseCommand },
  { name: 'move', load: async () => (await import('./move.ts')).addMoveCommand },
  { name: 'mcp', load: async () => (await import('./mcp.ts')).mcpCommand(runCommand) },
  { name: 'schema', load: async () => (await import('./schema.ts')).addSchemaCommand },
  { name: 'completion', load: async () => (await import('./completion.ts')).addCompletionCommand },
  { name: 'man', load: async () => (await import('./man.ts')).addManCommand },
  { name: 'help', load: async () => (await import('./help.ts')).addHelpCommand },
]

/**
 * Makes the program with the command that the arguments name; if they name none, with all commands.
 *
 * @param exit receives the exit code of the command, which may differ from 0
 */
export async function makeProgram(io: CommandIo, exit: Exit, args: readonly string[] = []) {
  const program = new Command('event-sync')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    })
    .description(
      "Copies an event's agenda, speakers and attendees from a source system to an event platform.",
    )
    .version(productVersion)
    .option('-c, --config <file>', 'configuration', DEFAULT_CONFIG)
    .option('--json', 'one JSON object on standard output; text for people goes to standard error', false)
    .option('--no-input', 'never ask')
    .addOption(
      new Option('--log-level <level>', 'JSON lines on standard error instead of progress')
        .choices(LOG_LEVELS)
        .default('silent'),
    )
    .option('--insecure-http', 'allow unencrypted http:// addresses of sources and platforms', false)
    .option('--show-personal', 'show values of people where they would be left out', false)
    .option('--no-color', 'no colours')
    .option(
      '--quiet',
      'print nothing but data that was asked for; if the exit code is not 0, one line: what happened, what to do',
      false,
    )
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  if (args.length === 1 && args[0] === '--version') return program
  const named = COMMANDS.filter(({ name }) => args.includes(name))
  const isAny = args[0] === 'completion' || named.every(({ name }) => OF_ALL.includes(name))
  for (const { load } of isAny ? COMMANDS : named) (await load())(program, io, exit)
  program.addHelpText('after', MORE)
  for (const command of program.commands) command.addHelpText('after', `\nMore: ${PAGES[command.name()]}`)
  return program
}

function widthOf({ isTTY, columns }: CommandOutput): number {
  return isTTY === true ? (columns ?? 80) : 80
}

/** Commands whose output covers all commands, if the user names no other command. */
const OF_ALL = ['help', 'man']

/**
 * Commands whose standard output must not be rewritten, because it is data, code or help. The second list of
 * commands applies only with --json or --csv. `-c FILE` is not added to the names of commands in the standard
 * output of these commands.
 */
const OF_DATA = ['sql', 'dbt-sources', 'mcp', 'schema', 'help', 'man', 'completion']
const OF_DATA_IN_FORMATS = ['plan', 'rollback', 'show', 'log', 'diff', 'explain', 'missing', 'quarantine']

/**
 * Commands whose standard output is what the user asked for. Commands print this output even with --quiet.
 */
const OF_ANSWERS = [...OF_DATA, 'status', 'runs', 'show', 'log', 'diff', 'explain', 'missing', 'quarantine']

/** Adds `-c FILE` to each command that a text names, if the user gave that option. */
export function namingGiven(
  program: Command,
  args: readonly string[],
  text: string,
  to: 'stdout' | 'stderr',
): string {
  if (program.getOptionValueSource('config') !== 'cli' || args.includes('--help') || args.includes('-h'))
    return text
  const { config, json } = program.opts<{ readonly config: string; readonly json: boolean }>()
  const isFormat = json || args.includes('--csv')
  const isOfData = [...OF_DATA, ...(isFormat ? OF_DATA_IN_FORMATS : [])].some((name) => args.includes(name))
  if (to === 'stdout' && isOfData) return text
  return namingConfig(text, config)
}

/** Prints the error of a command on standard error: as a line of the log if the user asked for the log. */
async function printError(
  error: string,
  exitCode: number,
  { logLevel, quiet }: GlobalOptions,
  io: CommandIo,
): Promise<void> {
  if (quiet || logLevel === 'silent') return void io.stderr.write(`${error}\n`)
  const { openLog, logTo } = await import('../observe/log.ts')
  // The error may be that `LOG_FORMAT` has another value.
  const destination = io.env.LOG_FORMAT === 'pretty' ? logTo(io) : io.stderr
  openLog(logLevel, destination).error({ integration: null, run: null, exitCode, error }, 'command failed')
}

/** Runs one command as `event-sync ARGS` would. Prints its error if it fails, and returns its exit code. */
export async function runCommand(args: readonly string[], bareIo: CommandIo): Promise<number> {
  let program: Command | null = null
  const quiet = makeQuiet(bareIo, (text) => io.stderr.write(text))
  const io = guarded(quiet.io, (text, to) => (program === null ? text : namingGiven(program, args, text, to)))
  let exitCode: number = EXIT.ok
  const exit: Exit = (code, why = null) => {
    exitCode = code
    io.stderr.write(quiet.end(code, why))
  }
  program = await makeProgram(io, exit, args)
  // The hook runs after the arguments are checked, so help texts and usage errors are printed in full even
  // with --quiet.
  program.hook('preAction', (of, command) => {
    const { quiet: isQuiet, json } = of.opts<GlobalOptions>()
    if (isQuiet) quiet.begin(json || OF_ANSWERS.includes(command.name()))
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // The package Commander, which parses the command line, has already printed its own error. The prefix
    // `error:` is removed for --json, because the key in the JSON object says the same.
    const message = messageOf(error).replace(/^error: /, '')
    if (error instanceof CommanderError && error.exitCode === EXIT.ok) return EXIT.ok
    const { codeOf } = await import('./exit-code.ts')
    const code = codeOf(error)
    if (!(error instanceof CommanderError)) {
      await printError(message, code, program.opts<GlobalOptions>(), io)
      // Usage errors are short already, so --quiet prints them unchanged.
      const line = quiet.end(code, null)
      if (line !== '') io.stderr.write(code === EXIT.usage ? `${inOneLine(message)}\n` : line)
    }
    if (program.opts().json === true && code !== EXIT.ok) {
      io.stdout.write(`${JSON.stringify({ error: message })}\n`)
    }
    return code
  }
}
