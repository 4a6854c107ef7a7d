import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, type Command, type Option } from 'commander'
import { CONTENTS } from '../../sql/tables.ts'
import { EXIT } from '../runtime/report.ts'
import { isRunId } from '../runtime/run-id.ts'
import type { AddCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'

/** Scripts for each shell. Each script asks `event-sync completion` which words can come next. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_event_sync() {
  mapfile -t COMPREPLY < <(event-sync completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _event_sync event-sync
`,
  zsh: `_event_sync() {
  local -a found
  found=("\${(@f)$(event-sync completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- "\${(@)found:#}"
}
compdef _event_sync event-sync
`,
  fish: `complete -c event-sync -f -a '(event-sync completion fish -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
}

const HELP = `
It completes commands, options, integrations, contents and runs. Integrations come from the configuration, runs from the output folder:
neither the database nor a source is asked.

Examples:
  event-sync completion bash >> ~/.bashrc                                    for bash
  event-sync completion zsh >> ~/.zshrc                                      for zsh, after compinit
  event-sync completion fish > ~/.config/fish/completions/event-sync.fish    for fish
`

export const addCompletionCommand: AddCommand = (program, io, exit) => {
  program
    .command('completion')
    .description('a script that completes commands, options, integrations and runs in a shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .addArgument(
      new Argument('[words...]', 'after --: a command line; prints what can stand for its last word'),
    )
    .addHelpText('after', HELP)
    .action(async (shell: string, words: readonly string[]) => {
      const text = words.length === 0 ? SCRIPTS[shell] : lines(await complete(program, io, words))
      io.stdout.write(text ?? '')
      exit(EXIT.ok)
    })
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join('')
}

/** Returns the words that can replace the last word of a command line, for shell completion. */
async function complete(
  program: Command,
  io: CommandIo,
  words: readonly string[],
): Promise<readonly string[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { command, operands, option } = read(program, before)
  const found =
    option !== null
      ? (option.argChoices ?? [])
      : current.startsWith('-')
        ? [...(command?.options ?? []), ...program.options].flatMap(({ long }) => long ?? [])
        : command === null
          ? program.commands.map((one) => one.name())
          : await valuesOf(program, command, operands, before, io)
  return found.filter((word) => word.startsWith(current))
}

interface Line {
  readonly command: Command | null
  /** Number of operands (words that are not options) after the command. */
  readonly operands: number
  /** The option whose value is the next word of the command line. */
  readonly option: Option | null
}

function read(program: Command, words: readonly string[]): Line {
  let line: Line = { command: null, operands: 0, option: null }
  for (const word of words) {
    const { command, operands, option } = line
    if (option !== null) line = { ...line, option: null }
    else if (word.startsWith('-')) {
      const known = [...(command?.options ?? []), ...program.options]
      const named = known.find(({ long, short }) => long === word || short === word)
      line = { ...line, option: named !== undefined && (named.required || named.optional) ? named : null }
    } else if (command === null)
      line = { ...line, command: program.commands.find((one) => one.name() === word) ?? null }
    else line = { ...line, operands: operands + 1 }
  }
  return line
}

async function valuesOf(
  program: Command,
  command: Command,
  operands: number,
  before: readonly string[],
  io: CommandIo,
): Promise<readonly string[]> {
  const { registeredArguments: known } = command
  const argument = known[operands] ?? known.findLast(({ variadic }) => variadic)
  switch (argument?.name()) {
    case 'id':
      return (await configured(before, io)).ids
    case 'run':
    case 'from':
    case 'to':
      return runsIn(await configured(before, io))
    case 'content':
      return CONTENTS
    case 'topic':
      return [
        ...program.commands.map((one) => one.name()),
        ...Object.keys((await import('./help.ts')).TOPICS),
      ]
    default:
      return argument?.argChoices ?? []
  }
}

interface Configured {
  readonly ids: readonly string[]
  readonly outputFolder: string
}

/**
 * Reads the configuration file that a command line names. If the configuration has mistakes, returns no
 * integrations; the command itself reports the mistakes.
 */
async function configured(words: readonly string[], io: CommandIo): Promise<Configured> {
  const at = words.findIndex((word) => word === '-c' || word === '--config')
  const config = (at === -1 ? undefined : words[at + 1]) ?? './event-sync.yaml'
  const { openConfig } = await import('./session.ts')
  try {
    const opened = await openConfig({ config, logLevel: 'silent' }, io)
    return { ids: opened.config.integrations.map(({ id }) => id), outputFolder: opened.outputFolder }
  } catch {
    return { ids: [], outputFolder: '' }
  }
}

/** Lists run ids, newest first, from the folders of the audit packs. */
function runsIn({ ids, outputFolder }: Configured): readonly string[] {
  const runs = ids.flatMap((id) => {
    try {
      return readdirSync(join(outputFolder, id)).filter(isRunId)
    } catch {
      // The integration has no folder yet, because it has not run.
      return []
    }
  })
  return runs.sort().reverse()
}
