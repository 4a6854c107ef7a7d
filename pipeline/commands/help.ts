import { Argument, type Command } from 'commander'
import { GUARDS } from '../../transforms/guards/guards.ts'
import { nearest } from '../../transforms/texts/nearest.ts'
import { EXIT_CODES } from '../observe/outcome.ts'
import { EXIT } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import type { AddCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'

interface Topic {
  readonly summary: string
  /** Other words by which a user can ask for this topic. */
  readonly words: readonly string[]
  /** Page that says more, with its section. */
  readonly page: string
  text(): Promise<string>
}

/** Help topics that are not commands; `event-sync help TOPIC` prints them. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'exit codes, with what to do',
    words: ['exit', 'exit-code', 'exitcodes', 'codes', 'errors', 'status-codes'],
    page: 'README.md#plan-apply-look',
    text: async () =>
      listOf(EXIT_CODES.map(({ code, what, todo }) => [`${code}: ${what}`, `What to do: ${todo}`])),
  },
  config: {
    summary: 'every key of event-sync.yaml, with its default',
    words: ['configuration', 'settings', 'keys', 'yaml', 'event-sync.yaml', 'options', 'defaults'],
    page: 'pipeline/config/README.md',
    text: async () => (await import('./init.ts')).describeConfig(),
  },
  guards: {
    summary: 'guards that hold a plan, and the keys that set them',
    words: ['hold', 'holds', 'held', 'approve', 'approval', 'limits', ...Object.keys(GUARDS)],
    page: 'transforms/README.md#what-holds-a-plan',
    text: async () =>
      listOf(
        Object.entries(GUARDS).map(([name, { holds, option }]) => [
          name,
          `Holds a plan if ${holds}.`,
          option === null ? 'No key of event-sync.yaml changes it.' : `Set by ${option}.`,
        ]),
      ),
  },
}

const TOPICS_IN_HELP = `
Topics (\`event-sync help TOPIC\`):
${Object.entries(TOPICS)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join('\n')}
`

const HELP = `${TOPICS_IN_HELP}
Examples:
  event-sync help run           arguments, options and examples of a command
  event-sync help exit-codes    for scripts that call event-sync
`

export const addHelpCommand: AddCommand = (program, io, exit) => {
  program.helpCommand(false)
  program.addHelpText('after', TOPICS_IN_HELP.trimStart())
  program
    .command('help')
    .description('help for a command or a topic')
    .addArgument(new Argument('[topic]', 'a command, or a topic below; left out: all commands'))
    .addHelpText('after', HELP)
    .action(async (topic?: string) => exit(await printHelp(program, io, topic)))
}

async function printHelp(program: Command, io: CommandIo, name: string | undefined): Promise<number> {
  if (name === undefined) return program.help()
  const command = program.commands.find((one) => one.name() === name)
  if (command !== undefined) return command.help()
  const topic = TOPICS[name]
  if (topic === undefined) throw unknownTopic(program, name)
  io.stdout.write(`${(await topic.text()).trimEnd()}\n\nMore: ${topic.page}\n`)
  return EXIT.ok
}

function unknownTopic(program: Command, name: string): UserError {
  const topics = Object.keys(TOPICS)
  const about = topics.find((topic) => TOPICS[topic]?.words.includes(name))
  const near = about ?? nearest(name, [...program.commands.map((one) => one.name()), ...topics])
  const meant = near === undefined ? '' : `did you mean ${near}? `
  const listed = `topics: ${topics.join(', ')}; \`event-sync help\` lists the commands`
  return new UserError('usage', `"${name}" is neither a command nor a topic`, `${meant}${listed}`)
}

/** Formats entries of a list. The first line of an entry is its name; its other lines are indented below. */
function listOf(entries: readonly (readonly string[])[]): string {
  return entries
    .map(([name = '', ...lines]) => [name, ...lines.map((line) => `  ${line}`), ''].join('\n'))
    .join('\n')
}
