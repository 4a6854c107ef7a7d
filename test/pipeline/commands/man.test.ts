import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeProgram, runCommand } from '../../../pipeline/commands/program.ts'
import { EXIT_CODES } from '../../../pipeline/observe/outcome.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { useFolder } from '../../support/folder.ts'
import { openTestIo } from './in-process.ts'

const folder = useFolder()

async function printed(...args: readonly string[]): Promise<string> {
  const io = openTestIo()
  expect(await runCommand(args, io)).toBe(0)
  return io.output.stdout
}

const page = await printed('man')
const program = await makeProgram(openTestIo(), () => undefined)

/** Returns the text of the page, line by line, without the roff commands. */
function textOf(roff: string): string {
  return roff
    .replace(/\\f[BR]|\\:/g, '')
    .replace(/\\-/g, '-')
    .replace(/\\\(ga/g, '`')
    .replace(/\\\(aq/g, "'")
    .replace(/\\\(dq/g, '"')
}

/** Returns the section of the page for one command. */
function sectionOf(name: string): string {
  const [, below = ''] = textOf(page).split(`\n.SS ${name}\n`)
  return below.split(/\n\.S[SH] /)[0] ?? ''
}

test.each(program.commands.map((command) => [command.name(), command] as const))(
  'the manual page has the command %s with its arguments, options and examples',
  (name, command) => {
    const section = sectionOf(name)
    expect(section).toContain(`event-sync ${name} ${command.usage()}\n.PP\n${command.description()}\n`)
    for (const argument of command.registeredArguments)
      expect(section).toContain(`\n.TP\n${argument.name()}\n${argument.description}`)
    for (const { flags, description } of command.options)
      expect(section).toContain(`\n.TP\n${flags}\n${description}`)
    expect(section).toMatch(/\n\.PP\nExamples:\n\.(?:TP|PP\n\.RS)\nevent-sync /)
  },
)

test('the manual page has the options that all commands share, and the exit codes', () => {
  const text = textOf(page)
  for (const { flags, description } of program.options) expect(text).toContain(`\n${flags}\n${description}`)
  for (const { code, what, todo } of EXIT_CODES)
    expect(text).toContain(`\n.TP\n${code}\n${what}. What to do: ${todo}\n`)
})

test('options before the command do not change the manual page, and no line of text is read as a command of roff', async () => {
  expect(await printed('--no-color', 'man')).toBe(page)
  const macros = page.split('\n').flatMap((line) => /^[.'](\w*)/.exec(line)?.[1] ?? [])
  expect([...new Set(macros)].sort()).toEqual(['PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', 'ad', 'nh'])
})

test('package.json names the manual page at the path to which the build writes it', () => {
  const { man, scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  expect(man).toBe('./dist/event-sync.1')
  expect(scripts.build).toMatch(/ && node pipeline\/cli\.ts man > dist\/event-sync\.1$/)
})

test.for([
  ['groff', ['-man', '-Tutf8', '-ww']],
  ['mandoc', ['-Tlint', '-Wwarning']],
] as const)('%s formats it without a warning', ([tool, args], { skip }) => {
  const path = join(folder(), 'event-sync.1')
  writeFileSync(path, page)
  const { error, stdout, stderr } = spawnSync(tool, [...args, path], { encoding: 'utf8' })
  if (error !== undefined) return skip(`${tool} is not installed`)
  // The program mandoc prints warnings on standard output, and the program groff prints the page there. The
  // page has no date, so that each build writes the same bytes.
  const warnings = `${stderr}${tool === 'mandoc' ? stdout : ''}`.split('\n')
  expect(warnings.filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
})
