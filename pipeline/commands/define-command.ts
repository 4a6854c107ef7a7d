import type { Argument, Command, Option, OptionValues } from 'commander'
import type { Context } from '../context/run-context.ts'
import { MEANINGS } from '../observe/outcome.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import type { CommandIo } from './io.ts'
import type { GlobalOptions } from './session.ts'

/** Adds a command to the program. `exit` receives the exit code of the command. */
export type AddCommand = (program: Command, io: CommandIo, exit: (code: number) => void) => void

/** The output of a command, printed at its end: the text for people or, with --json, the object. */
export interface Output {
  readonly text: string
  readonly json: object
  /** Print the text also with --json, on standard error; default: false. */
  readonly alsoText?: boolean
  /** Text printed on standard error after the object, only with --json; default: none. */
  readonly hint?: string
  /** Exit code; default: 0. */
  readonly code?: number
}

/** The options of a call, and what the command uses to do its work. */
export interface Call<Options> {
  readonly options: Options
  readonly global: GlobalOptions
  readonly io: CommandIo
  /** Opens the configuration and the database for the work, and closes them afterwards. */
  open<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
}

/**
 * Declares a command: its help, its arguments and options, and the function that runs it.
 *
 * @param run returns the output to print, or the exit code if it has printed the output itself
 */
export function defineCommand<Args extends unknown[], Options extends OptionValues>({
  name,
  summary,
  help,
  args = [],
  options = [],
  exits = ['failed', 'locked', 'usage'],
  run,
}: {
  readonly name: string
  readonly summary: string
  /** Text that the help prints below the options. */
  readonly help: string
  readonly args?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Exit codes other than 0 that a script must know; default: failed, locked, usage. */
  readonly exits?: readonly (keyof typeof EXIT)[]
  run(call: Call<Options>, ...args: Args): Output | Promise<Output | number>
}): AddCommand {
  return (program, io, exit) => {
    const command = program
      .command(name)
      .description(summary)
      .addHelpText('after', `${help.trimEnd()}\n${describeExits(exits)}`)
    for (const argument of args) command.addArgument(argument)
    for (const option of options) command.addOption(option)
    command.action(async () => {
      const global = program.opts<GlobalOptions>()
      const open: Call<Options>['open'] = async (work) =>
        (await import('./session.ts')).withContext(global, io, work)
      const call = { options: command.opts<Options>(), global, io, open }
      const output = await run(call, ...(command.processedArgs as Args))
      exit(typeof output === 'number' ? output : print(output, global.json, io))
    })
  }
}

function describeExits(exits: readonly (keyof typeof EXIT)[]): string {
  const lines = exits.map((name) => `  ${String(EXIT[name]).padEnd(3)} ${MEANINGS[EXIT[name]]}`)
  return ['', 'Exit codes other than 0 (`event-sync help exit-codes` says what to do):', ...lines].join('\n')
}

function print(
  { text, json, alsoText = false, hint = '', code = EXIT.ok }: Output,
  asJson: boolean,
  io: CommandIo,
) {
  if (!asJson) io.stdout.write(text)
  else if (alsoText) io.stderr.write(text)
  if (asJson) io.stdout.write(`${toVisibleJson(json)}\n`)
  if (asJson && hint !== '') io.stderr.write(hint)
  return code
}
