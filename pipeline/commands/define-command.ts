import type { Argument, Command, Option, OptionValues } from 'commander'
import type { Context } from '../context/run-context.ts'
import { MEANINGS } from '../observe/outcome.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import type { CommandIo } from './io.ts'
import type { Why } from './quiet.ts'
import type { GlobalOptions, OnMoved, Opening } from './session.ts'

/**
 * Adds a command to the program. `exit` receives the exit code of the command, and the reason if the code is
 * not 0.
 */
export type AddCommand = (program: Command, io: CommandIo, exit: Exit) => void

export type Exit = (code: number, why?: Why | null) => void

/** The exit code and its reason, of a command that has already printed its output. */
export interface Ended {
  readonly code: number
  readonly why: Why | null
}

/** The output of a command at its end: the text for people or, with --json, the object. */
export interface Output {
  readonly text: string
  readonly json: object
  /** If true, the text is also printed on standard error when --json prints the object; default: false. */
  readonly alsoText?: boolean
  /** Text that is printed on standard error after the JSON object. The text is not printed without --json. */
  readonly hint?: string
  /** Exit code; default: 0. */
  readonly code?: number
  /**
   * Reason for an exit code other than 0. The reason is what --quiet prints. If this reason is left out,
   * --quiet prints the last line of standard error.
   */
  readonly why?: Why | null
}

/** The options that the user gave, and what the command needs for its work. */
export interface Call<Options> {
  readonly options: Options
  readonly global: GlobalOptions
  readonly io: CommandIo
  /**
   * Opens the configuration and the database for the work, and closes them afterwards.
   *
   * @param opening how long to wait for the embedded database, and how many runs need connections
   */
  open<Result>(
    work: (context: Context) => Promise<Result>,
    opening?: Pick<Opening, 'lockWaitMs' | 'runs'>,
  ): Promise<Result>
}

/**
 * Declares a command: its help, arguments and options, and the function that runs it.
 *
 * @param run returns the output to print. If `run` has already printed its output, it returns the exit code,
 *   or the exit code with its reason.
 */
export function defineCommand<Args extends unknown[], Options extends OptionValues>({
  name,
  summary,
  help,
  args = [],
  options = [],
  exits = ['failed', 'locked', 'usage'],
  onMoved = 'refused',
  run,
}: {
  readonly name: string
  readonly summary: string
  /** Text that the help prints below the options. */
  readonly help: string
  readonly args?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Exit codes other than 0 that a script must handle; default: failed, locked, usage. */
  readonly exits?: readonly (keyof typeof EXIT)[]
  /**
   * What the command does with a database whose data was moved to another database. By default, it refuses to
   * work there.
   */
  readonly onMoved?: OnMoved
  run(call: Call<Options>, ...args: Args): Output | Promise<Output | Ended | number>
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
      const open: Call<Options>['open'] = async (work, opening) =>
        (await import('./session.ts')).withContext(global, io, work, { onMoved, ...opening })
      const call = { options: command.opts<Options>(), global, io, open }
      const output = await run(call, ...(command.processedArgs as Args))
      if (typeof output === 'number') return exit(output)
      if ('text' in output) return exit(print(output, global.json, io), output.why)
      exit(output.code, output.why)
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
