import type { Argument, Command, Option } from 'commander'
import { EXIT_CODES } from '../observe/outcome.ts'
import { productVersion } from '../runtime/package-root.ts'
import { EXIT } from '../runtime/report.ts'
import type { AddCommand } from './define-command.ts'

const HELP = `
It prints roff. \`npm install --global\` installs the page, so that \`man event-sync\` shows it.

Examples:
  event-sync man > event-sync.1                                  \`man -l event-sync.1\` shows it
  event-sync man > /usr/local/share/man/man1/event-sync.1        for everybody on this machine
`

export const addManCommand: AddCommand = (program, io, exit) => {
  program
    .command('man')
    .description('the manual page, of all commands')
    .addHelpText('after', HELP)
    .action(() => {
      io.stdout.write(manPage(program))
      exit(EXIT.ok)
    })
}

/**
 * Returns the manual page of a program, section 1, in roff with the macros of man(7). The page contains the
 * same text as the help of each command. The page has no date, so every build of a version produces the same
 * bytes.
 */
export function manPage(program: Command): string {
  const help = program.createHelp()
  const name = program.name()
  const option = (one: Option) => definition(help.optionTerm(one), help.optionDescription(one))
  const argument = (one: Argument) => definition(help.argumentTerm(one), help.argumentDescription(one))
  const commands = program.commands.flatMap((command) => [
    `.SS ${roff(command.name())}`,
    bold(`${name} ${command.name()} ${command.usage()}`),
    ...paragraph(command.description()),
    ...help.visibleArguments(command).flatMap(argument),
    ...help.visibleOptions(command).flatMap(option),
    ...linesOf(textAfter(command)),
  ])
  const page = [
    `.TH ${roff(name.toUpperCase())} 1 "" "event\\-content\\-sync ${productVersion}" "User Commands"`,
    // Text is not justified, because blanks would be inserted. Words are not hyphenated, because many of them
    // are names.
    '.ad l',
    '.nh',
    '.SH NAME',
    `${roff(name)} \\- ${roff(program.description().replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    bold(`${name} ${program.usage()}`),
    '.SH OPTIONS',
    'Every command takes these:',
    ...help.visibleOptions(program).flatMap(option),
    '.SH COMMANDS',
    ...commands,
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(({ code, what, todo }) => definition(code, `${what}. What to do: ${todo}`)),
    '.SH EXAMPLES',
    ...linesOf(textAfter(program).replace('\nExamples:\n', '')),
    '',
  ]
  // A paragraph macro directly after a heading has no effect, and some formatters print a warning about it.
  return page.join('\n').replace(/^(\.S[HS] .*\n)\.PP\n/gm, '$1')
}

/** Returns only the text that the help of a command prints after its list of options. */
function textAfter(command: Command): string {
  let printed = ''
  const output = command.configureOutput()
  const writeOut = (text: string) => {
    printed += text
  }
  command.configureOutput({ writeOut }).outputHelp()
  command.configureOutput(output)
  return printed.slice(command.helpInformation().length)
}

/**
 * Formats a help text in roff. The help text consists of paragraphs and of indented lines. An indented line
 * has a command or a word, and often its meaning.
 */
function linesOf(text: string): readonly string[] {
  const entries: string[] = []
  for (const line of text.split('\n')) {
    const last = entries.at(-1) ?? ''
    if (isContinued(last, line)) entries.splice(-1, 1, `${last} ${line.trim()}`)
    else entries.push(line)
  }
  return entries
    .filter((entry) => entry !== '')
    .flatMap((entry) => (entry.startsWith(' ') ? indented(entry.trim()) : paragraph(entry)))
}

/** Returns true if a line continues an entry that was broken because it was too long. */
function isContinued(entry: string, line: string): boolean {
  if (entry === '' || line === '') return false
  return line.startsWith('   ') || !(entry.startsWith(' ') || line.startsWith(' '))
}

function indented(line: string): readonly string[] {
  const [, term = '', meaning = ''] = /^(.*?)(?: {2,}(.*))?$/.exec(line) ?? []
  return meaning === '' ? ['.PP', '.RS', bold(term), '.RE'] : definition(term, meaning)
}

function paragraph(text: string): readonly string[] {
  return ['.PP', roff(text)]
}

function definition(term: string, meaning: string): readonly string[] {
  return ['.TP', bold(term), roff(meaning)]
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`
}

/** Characters that roff would replace, each with the escape that prints the character unchanged. */
const GLYPHS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '`': '\\(ga',
  "'": '\\(aq',
  '"': '\\(dq',
  '^': '\\(ha',
  '~': '\\(ti',
}

/**
 * Escapes a text for one line of roff. The line may break after each comma, because JSON has no blanks where
 * it could break. A dot at the beginning is escaped, because roff would read the line as a macro.
 */
function roff(text: string): string {
  const escaped = text.replace(/[\\`'"^~-]|[^\0-\x7f]/gu, (one) => GLYPHS[one] ?? unicode(one))
  const breakable = escaped.replace(/,(?! )/g, ',\\:')
  return breakable.startsWith('.') ? `\\&${breakable}` : breakable
}

function unicode(character: string): string {
  return `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}
