import './heap.ts'
import { Command, CommanderError, Option } from 'commander'
import { OtherBindingError } from '../loaders/ledger.ts'
import { addApplyCommand } from './commands/apply.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addRunCommands } from './commands/run.ts'
import { addRunsCommand, addShowCommand } from './commands/runs.ts'
import { addSqlCommand } from './commands/sql.ts'
import { ConfigError } from './config.ts'
import { DirectoryLockedError } from './database/directory-lock.ts'
import { LOG_LEVELS } from './log.ts'
import { productVersion } from './package-root.ts'
import { EXIT } from './report.ts'

/** Maps what a command threw to the exit code that tells of it. Source: design 6. */
function codeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof ConfigError || error instanceof OtherBindingError) return EXIT.usage
  if (error instanceof DirectoryLockedError) return EXIT.locked
  return EXIT.failed
}

const program = new Command('event-sync')
  .description("Copies an event's agenda, speakers and attendees from a source system to an event platform.")
  .version(productVersion)
  .option('-c, --config <file>', 'configuration', './event-sync.yaml')
  .option('--json', 'one JSON object on standard output; text for people goes to standard error', false)
  .option('--no-input', 'never ask')
  .addOption(
    new Option('--log-level <level>', 'JSON lines on standard error instead of progress')
      .choices(LOG_LEVELS)
      .default('silent'),
  )
  .option('--show-personal', 'show values of people where they would be left out', false)
  .option('--no-color', 'no colours')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride()

const exit = (code: number) => {
  process.exitCode = code
}
addDemoCommand(program)
addRunCommands(program, exit)
addApplyCommand(program, exit)
addRunsCommand(program)
addShowCommand(program)
addSqlCommand(program)

for (const output of [process.stdout, process.stderr]) {
  // Whoever read the output, such as `head`, is gone: a run that is under way ends as it would have.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  // What was applied is recorded and what was not is finished by the next run, so stopping at once is safe.
  process.once(signal, () => process.exit(code))
}

try {
  await program.parseAsync()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CommanderError)) process.stderr.write(`${message}\n`)
  process.exitCode = codeOf(error)
  if (program.opts().json === true && process.exitCode !== EXIT.ok) {
    process.stdout.write(`${JSON.stringify({ error: message })}\n`)
  }
}
