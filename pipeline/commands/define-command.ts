import type { Argument, Command, Option, OptionValues } from 'commander'
import type { Context } from '../context/run-context.ts'
import { MEANINGS } from '../observe/outcome.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import type { CommandIo } from './io.ts'
import type { GlobalOptions } from './session.ts'

/** Adds a command to the program. `exit` takes its exit code. */
export type AddCommand = (program: Command, io: CommandIo, exit: (code: number) => void) => void

/** Describes what a command prints at its end: the text for people or, with --json, the object. */
export interface Output {
  readonly text: string
  readonly json: object
  /** Print the text with --json too, on standard error; left out: no. */
  readonly alsoText?: boolean
  /** Printed after the object, with --json only, on standard error; left out: nothing. */
  readonly hint?: string
  /** Exit code; left out: 0. */
  readonly code?: number
}

/** How a command was called, and what it works with. */
export interface Call<Options> {
  readonly options: Options
  readonly global: GlobalOptions
  readonly io: CommandIo
  /** Opens configuration and database for the work, and closes them. */
  open<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
}

/**
 * Declares a command: what the help says of it, what it takes, and what it does.
 *
 * @param run returns what is to be printed or, if it prints by itself, the exit code
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
  /** Printed below the options. */
  readonly help: string
  readonly args?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Exit codes other than 0 that a script must know; left out: failed, locked, wrong usage. */
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
