import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { makeProgram } from '../../../pipeline/commands/program.ts'
import { faultOfShellLine } from '../snippets/shell.ts'

/** An example of a help text, without what stands behind it for people. */
const EXAMPLE = /^ {2}(event-sync\b.*?)(?: {2,}\S.*)?$/gm

/** What `--help` prints. */
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

/** The lines below `Examples:` that are commands. */
function examplesIn(help: string): readonly string[] {
  const [, below = ''] = help.split('\nExamples:\n')
  return [...below.matchAll(EXAMPLE)].map(([, line = '']) => line)
}

const program = makeProgram(() => undefined)

describe.each(program.commands.map((command) => [command.name(), command] as const))(
  'the help of %s',
  (name, command) => {
    const examples = examplesIn(helpOf(command))

    test('has examples, each of this command', () => {
      expect(examples).not.toEqual([])
      const words = examples.map((line) => line.split(/\s+/))
      expect(words.filter((one) => !one.includes(name))).toEqual([])
    })

    test.each(examples)('%s: arguments and options are there', async (line) => {
      expect(await faultOfShellLine(line)).toBeNull()
    })
  },
)

test('the help of the program has examples, each of a command that is there', async () => {
  const examples = examplesIn(helpOf(makeProgram(() => undefined)))
  expect(examples.length).toBeGreaterThan(3)
  for (const line of examples.filter((one) => !one.startsWith('event-sync help '))) {
    expect(await faultOfShellLine(line)).toBeNull()
  }
})

test('what stands behind an example is no part of it, and a wrong one is found', async () => {
  const examples = examplesIn(
    '\nExamples:\n  event-sync run --fresh   a, b\n  event-sync run --nosuch\nMore.\n  # a comment\n',
  )
  expect(examples).toEqual(['event-sync run --fresh', 'event-sync run --nosuch'])
  expect(await Promise.all(examples.map(faultOfShellLine))).toEqual([
    null,
    "error: unknown option '--nosuch'",
  ])
})
