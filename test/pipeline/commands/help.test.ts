import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { TOPICS } from '../../../pipeline/commands/help.ts'
import { PAGES } from '../../../pipeline/commands/pages.ts'
import { makeProgram, runCommand } from '../../../pipeline/commands/program.ts'
import { EXIT_CODES } from '../../../pipeline/observe/outcome.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { GUARDS } from '../../../transforms/guards/guards.ts'
import { slug } from '../../docs/slug.ts'
import { faultOfShellLine } from '../snippets/shell.ts'
import { openTestIo } from './in-process.ts'

/**
 * Matches a line with an example in a help text. The first group of the match is the command, without the
 * remark that may follow.
 */
const EXAMPLE = /^ {2}(event-sync\b.*?)(?: {2,}\S.*)?$/gm

/** Returns the text that a command prints with `--help`. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  return text
}

/** Returns the commands below the heading `Examples:`. */
function examplesIn(help: string): readonly string[] {
  const [, below = ''] = help.split('\nExamples:\n')
  return [...below.matchAll(EXAMPLE)].map(([, line = '']) => line)
}

const program = await makeProgram(openTestIo(), () => undefined)

test.each(program.commands.map((command) => [command.name(), command] as const))(
  'the help of %s is loaded only if the arguments name the command, and its examples are valid',
  async (name, command) => {
    const { commands } = await makeProgram(openTestIo(), () => undefined, ['--json', name])
    expect(commands.map((one) => one.name())).toContain(name)
    // A help text loads only the command that it describes. The commands `help` and `man` are exceptions,
    // because they load all commands.
    if (name !== 'help' && name !== 'man') expect(commands.length).toBeLessThan(3)
    const examples = examplesIn(helpOf(command))
    expect(examples.length).toBeGreaterThan(1)
    expect(examples.filter((line) => !line.split(/\s+/).includes(name))).toEqual([])
    for (const line of examples) expect([line, await faultOfShellLine(line)]).toEqual([line, null])
  },
)

test('the last line of the help of every command and topic names the page that describes it', async () => {
  expect(program.commands.map((one) => one.name()).toSorted()).toEqual(Object.keys(PAGES).toSorted())
  for (const command of program.commands) {
    const page = PAGES[command.name()] ?? ''
    expect(helpOf(command).trimEnd().split('\n').at(-1)).toBe(`More: ${page}`)
    expect([page, sectionAt(page)]).toEqual([page, expect.stringContaining(command.name())])
  }
  for (const [name, { page }] of Object.entries(TOPICS)) {
    expect((await printed('help', name)).trimEnd().split('\n').at(-1)).toBe(`More: ${page}`)
    expect(sectionAt(page)).not.toBe('')
  }
})

/** Sections with one line for each of many commands. They say less than the section of a command. */
const LISTS: readonly string[] = ['README.md#plan-apply-look', 'pipeline/commands/README.md#other-commands']

test('no other section of the pages about commands names a command more often than the section of its help', () => {
  const sections = ['README.md', 'pipeline/commands/README.md'].flatMap((file) =>
    [...readFileSync(join(packageRoot, file), 'utf8').matchAll(/^#+ (.*)$/gm)].map(
      ([, heading = '']) => `${file}#${slug(heading)}`,
    ),
  )
  const countIn = (page: string, name: string) =>
    [...sectionAt(page).matchAll(/(?:`(?:event-sync )?|event-sync )([a-z-]+)(?![\w-])/g)].filter(
      ([, word]) => word === name,
    ).length
  // Each page with a plan or an operation names `run`, and each section may refer to `help`.
  const names = Object.keys(PAGES).filter((name) => !['run', 'help'].includes(name))
  const worse = names.flatMap((name) => {
    const page = PAGES[name] ?? ''
    const own = LISTS.includes(page) && !['completion', 'man'].includes(name) ? 0 : countIn(page, name)
    const others = sections.filter((one) => !LISTS.includes(one) && countIn(one, name) > own)
    return others.map((other) => `${name}: ${page}, but ${other}`)
  })
  expect(worse.filter((line) => !/^(?:sql|verify): /.test(line))).toEqual([])
})

/** Returns the text of a page from one heading to the next; of the whole page if no section is named. */
function sectionAt(page: string): string {
  const [file = '', anchor] = page.split('#')
  const text = readFileSync(join(packageRoot, file), 'utf8')
  if (anchor === undefined) return text
  return text.split(/^#+ /m).find((part) => slug(part.split('\n')[0] ?? '') === anchor) ?? ''
}

/** Returns the text that `event-sync` prints on standard output for these arguments. */
async function printed(...args: readonly string[]): Promise<string> {
  const io = openTestIo()
  expect(await runCommand(args, io)).toBe(0)
  return io.output.stdout
}

test('the help of every command lists its exit codes', () => {
  for (const command of program.commands.filter((one) => !/^(help|completion|man)$/.test(one.name())))
    expect(helpOf(command)).toMatch(/\nExit codes other than 0 .*:\n {2}1 {3}failed\n/)
})

/** Returns the rows of a Markdown table, without its heading row. */
function rowsOf(document: string, heading: string): readonly (readonly string[])[] {
  const text = readFileSync(join(packageRoot, document), 'utf8')
  const [, below = ''] = text.split(`\n| ${heading} |`)
  const lines = below.split('\n\n')[0]?.split('\n').slice(2) ?? []
  const plain = (cell: string) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim()
  return lines.map((line) => line.split('|').slice(1, -1).map(plain))
}

test('help exit-codes and README.md list the same exit codes', async () => {
  const rows = rowsOf('README.md', 'exit code | what happened | what to do')
  expect(rows.map(([code, what]) => [code, what])).toEqual(EXIT_CODES.map(({ code, what }) => [code, what]))
  const text = await printed('help', 'exit-codes')
  for (const { code, what, todo } of EXIT_CODES)
    expect(text).toContain(`${code}: ${what}\n  What to do: ${todo}\n`)
})

test('help guards lists every guard that transforms/README.md explains', async () => {
  const rows = rowsOf('transforms/README.md', 'guard | holds where | instead')
  const explained = new Set(rows.map(([name = '']) => /^`(\w+)`/.exec(name)?.[1]))
  expect([...explained].toSorted()).toEqual(Object.keys(GUARDS).toSorted())
  const text = await printed('help', 'guards')
  for (const name of Object.keys(GUARDS)) expect(text).toContain(`${name}\n  Holds a plan if `)
})

test('help config shows every key, and help with an unknown word suggests the most similar word', async () => {
  expect(await printed('help', 'config')).toContain('massUpdate: 0.5')
  const io = openTestIo()
  expect(await runCommand(['help', 'gaurds'], io)).toBe(64)
  const listed = 'topics: exit-codes, config, guards; `event-sync help` lists the commands\n'
  expect(io.output.stderr).toBe(`"gaurds" is neither a command nor a topic; did you mean guards? ${listed}`)
  const other = openTestIo()
  expect(await runCommand(['help', 'zzzzzzzz'], other)).toBe(64)
  expect(other.output.stderr).toBe(`"zzzzzzzz" is neither a command nor a topic; ${listed}`)
})

test.each([
  ['held', 'guards'],
  ['statedRemovals', 'guards'],
  ['settings', 'config'],
  ['exit', 'exit-codes'],
])('help %s suggests the topic %s, which explains this word', async (word, topic) => {
  const io = openTestIo()
  expect(await runCommand(['help', word], io)).toBe(64)
  expect(io.output.stderr).toContain(`; did you mean ${topic}? topics: `)
})

test('help and --help list every topic', async () => {
  for (const args of [['help'], ['--help']])
    for (const [name, { summary }] of Object.entries(TOPICS))
      expect(await printed(...args)).toMatch(new RegExp(`\\n  ${name} +${summary}\\n`))
  expect(await printed('run', '--help')).not.toContain('Topics')
})

test('the examples in the help of the program are valid commands', async () => {
  const examples = examplesIn(helpOf(program))
  expect(examples.length).toBeGreaterThan(3)
  for (const line of examples.filter((one) => !one.startsWith('event-sync help '))) {
    expect(await faultOfShellLine(line)).toBeNull()
  }
})
