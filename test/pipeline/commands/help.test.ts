import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeProgram } from '../../../pipeline/commands/program.ts'
import { faultOfShellLine } from '../snippets/shell.ts'
import { openTestIo } from './in-process.ts'

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

const program = await makeProgram(openTestIo(), () => undefined)

test.each(program.commands.map((command) => [command.name(), command] as const))(
  'the help of %s is there where the arguments name it, with examples that are right',
  async (name, command) => {
    const { commands } = await makeProgram(openTestIo(), () => undefined, ['--json', name])
    expect(commands.map((one) => one.name())).toContain(name)
    // What is not asked for is not loaded.
    expect(commands.length).toBeLessThan(3)
    const examples = examplesIn(helpOf(command))
    expect(examples).not.toEqual([])
    expect(examples.filter((line) => !line.split(/\s+/).includes(name))).toEqual([])
    for (const line of examples) expect([line, await faultOfShellLine(line)]).toEqual([line, null])
  },
)

test('the help of the program has examples, each of a command that is there', async () => {
  const examples = examplesIn(helpOf(program))
  expect(examples.length).toBeGreaterThan(3)
  for (const line of examples.filter((one) => !one.startsWith('event-sync help '))) {
    expect(await faultOfShellLine(line)).toBeNull()
  }
})
