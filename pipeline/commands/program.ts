import { Command, Option } from 'commander'
import { LOG_LEVELS } from '../log.ts'
import { productVersion } from '../package-root.ts'
import { addApplyCommand } from './apply.ts'
import { addCheckCommand } from './check.ts'
import { addDbtSourcesCommand } from './dbt-sources.ts'
import { addDemoCommand } from './demo.ts'
import { addExplainCommand } from './explain.ts'
import { addExportCommand } from './export.ts'
import { addForgetCommand } from './forget.ts'
import { addInitCommand } from './init.ts'
import { addPurgeCommand } from './purge.ts'
import { addQuarantineCommand } from './quarantine.ts'
import { addRunCommands } from './run.ts'
import { addRunsCommand, addShowCommand } from './runs.ts'
import { addScheduleCommand } from './schedule.ts'
import { addSchemaCommand } from './schema.ts'
import { addSqlCommand } from './sql.ts'
import { addVerifyCommand } from './verify.ts'
import { addWorkerCommand } from './worker.ts'

const EXAMPLES = `
Examples:
  event-sync demo                 see it work; needs nothing
  event-sync init                 write a commented event-sync.yaml
  event-sync check summit         is everything set up?
  event-sync plan summit          what would change; nothing is sent
  event-sync run                  read, plan, apply and audit every integration
  event-sync help plan            options and examples of one command
`

/**
 * All commands with their options. Source: design 6 (contract).
 *
 * @param exit takes the exit code of a command that may end with another one than 0
 */
export function makeProgram(exit: (code: number) => void): Command {
  const program = new Command('event-sync')
    .description(
      "Copies an event's agenda, speakers and attendees from a source system to an event platform.",
    )
    .version(productVersion)
    .option('-c, --config <file>', 'configuration', './event-sync.yaml')
    .option('--json', 'one JSON object on standard output; text for people goes to standard error', false)
    .option('--no-input', 'never ask')
    .addOption(
      new Option('--log-level <level>', 'JSON lines on standard error instead of progress')
        .choices(LOG_LEVELS)
        .default('silent'),
    )
    .option(
      '--insecure-http',
      'let sources and platforms be reached unencrypted, at http:// addresses',
      false,
    )
    .option('--show-personal', 'show values of people where they would be left out', false)
    .option('--no-color', 'no colours')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  addDemoCommand(program)
  addInitCommand(program)
  addCheckCommand(program, exit)
  addRunCommands(program, exit)
  addApplyCommand(program, exit)
  addRunsCommand(program)
  addShowCommand(program)
  addExplainCommand(program)
  addQuarantineCommand(program)
  addSqlCommand(program)
  addDbtSourcesCommand(program)
  addExportCommand(program, exit)
  addVerifyCommand(program, exit)
  addScheduleCommand(program)
  addWorkerCommand(program, exit)
  addForgetCommand(program, exit)
  addPurgeCommand(program, exit)
  addSchemaCommand(program)
  return program
}
