import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { type ConfigInput, toCommentedYaml } from '../config.ts'
import { askForConfig, sampleConfig } from './config-answers.ts'
import { converse } from './dialogue.ts'
import { requireNew, writeNewFile } from './new-file.ts'
import type { GlobalOptions } from './session.ts'

/** `event-sync init`. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a commented event-sync.yaml; asks for what it must know, never for a secret')
    .addHelpText(
      'after',
      `
Without a terminal, or with --no-input, it asks nothing and writes a sample with every source.
A file that is there already is never overwritten.

Examples:
  event-sync init
  event-sync -c summit.yaml init
  event-sync init --no-input`,
    )
    .action(async () => init(program.opts<GlobalOptions>()))
}

async function init({ config: path, json, input }: GlobalOptions): Promise<void> {
  requireNew(path)
  const isAsked = input && process.stdin.isTTY === true && process.stderr.isTTY === true
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const config = isAsked
    ? await converse(process.stdin, process.stderr, (ask) => askForConfig(ask, zone))
    : sampleConfig()
  writeNewFile(path, toCommentedYaml(config, introduction(isAsked)))
  const people = json ? process.stderr : process.stdout
  people.write(nextSteps(path, config, isAsked))
  if (json) process.stdout.write(`${JSON.stringify({ config: resolve(path) })}\n`)
}

/** Comment for the top of the file. */
function introduction(isAsked: boolean): readonly string[] {
  const sample = [
    'A sample: keep the integration of your kind of source, put your own values there, take the others out.',
  ]
  return [
    'What event-sync copies, from where to where, and how.',
    ...(isAsked ? [] : sample),
    'A key behind a # is left out; it shows its default, or an example where it has none.',
    'Secrets never stand here: env:NAME names an environment variable, file:PATH a file.',
  ]
}

/** What to do with the file that was written. */
function nextSteps(path: string, { integrations }: ConfigInput, isAsked: boolean): string {
  const variables = [...JSON.stringify(integrations).matchAll(/"env:(\w+)"/g)].map(([, name]) => name)
  const given = relative('event-sync.yaml', path) === '' ? '' : ` -c ${shellWord(path)}`
  return [
    `${path} is written. Next:`,
    ...(isAsked
      ? []
      : ['  keep the integration of your kind of source, with your values, and take the others out']),
    ...variables.map((name) => `  export ${name}=…`),
    ...integrations.map(({ id }) => `  event-sync${given} check ${id}`),
    '',
  ].join('\n')
}

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
