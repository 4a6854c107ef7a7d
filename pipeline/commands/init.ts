import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type ConfigInput, toCommentedYaml } from '../config/config.ts'
import { askForConfig, sampleConfig } from './config-answers.ts'
import { converse } from './dialogue.ts'
import { type CommandIo, printBoth } from './io.ts'
import { requireNew, writeNewFile } from './new-file.ts'
import type { GlobalOptions } from './session.ts'

const HELP = `
Without a terminal, or with --no-input, it asks nothing and writes a sample with every source.
A file that is there already is never overwritten.

Examples:
  event-sync init
  event-sync -c summit.yaml init
  event-sync init --no-input`

export function addInitCommand(program: Command, io: CommandIo): void {
  program
    .command('init')
    .description('write a commented event-sync.yaml; asks for what it must know, never for a secret')
    .addHelpText('after', HELP)
    .action(async () => init(program.opts<GlobalOptions>(), io))
}

async function init({ config: path, json, input }: GlobalOptions, io: CommandIo): Promise<void> {
  requireNew(path, io.cwd)
  const isAsked = input && io.stdin.isTTY === true && io.stderr.isTTY === true
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const config = isAsked
    ? await converse(io.stdin, io.stderr.bare ?? io.stderr, (ask) => askForConfig(ask, zone))
    : sampleConfig()
  writeNewFile(path, toCommentedYaml(config, introduction(isAsked)), io.cwd)
  printBoth(io, json, nextSteps(path, config, isAsked, io.cwd), { config: resolve(io.cwd, path) })
}

function introduction(isAsked: boolean): readonly string[] {
  const sample =
    'A sample: keep the integration of your kind of source, put your own values there, take the others out.'
  return [
    'What event-sync copies, from where to where, and how.',
    ...(isAsked ? [] : [sample]),
    'A key behind a # is left out; it shows its default, or an example where it has none.',
    'Secrets are never in here: env:NAME names an environment variable, file:PATH a file.',
  ]
}

function nextSteps(path: string, { integrations }: ConfigInput, isAsked: boolean, cwd: string): string {
  const variables = [...JSON.stringify(integrations).matchAll(/"env:(\w+)"/g)].map(([, name]) => name)
  const given = resolve(cwd, 'event-sync.yaml') === resolve(cwd, path) ? '' : ` -c ${shellWord(path)}`
  const choice = '  keep the integration of your kind of source, with your values, and take the others out'
  return [
    `${path} is written. Next:`,
    ...(isAsked ? [] : [choice]),
    ...variables.map((name) => `  export ${name}=…`),
    ...integrations.map(({ id }) => `  event-sync${given} check ${id}`),
    '',
  ].join('\n')
}

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
