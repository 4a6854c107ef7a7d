import { dirname, join, resolve } from 'node:path'
import { Option } from 'commander'
import { type ConfigInput, configSchema, outputFolderSchema, toCommentedYaml } from '../config/config.ts'
import { machine } from '../runtime/environment.ts'
import { SOURCES } from '../sources/registry.ts'
import { type Call, defineCommand } from './define-command.ts'
import { type Ask, canAsk, converse } from './dialogue.ts'
import {
  about,
  askForIntegration,
  exampleOf,
  type IntegrationInput,
  minimal,
  type SourceInput,
  secretsOf,
  sourceTypes,
} from './integration-questions.ts'
import { isThere, requireNew, writeNewFile } from './new-file.ts'
import { FOR_EDITORS, SCHEMA_FILE, schemaText } from './schema.ts'

const HELP = `
Without a terminal, or with --no-input, it asks nothing and writes a sample with every source.
It also writes event-sync.schema.json beside the file, by which editors complete and check every key. A file that is there
already is never overwritten.

With --add it asks for a further integration, and adds it to the list of an existing event-sync.yaml. All else in the file stays as
it is.

Examples:
  event-sync init
  event-sync init --add
  event-sync -c summit.yaml init
  event-sync init --no-input`

export const addInitCommand = defineCommand({
  name: 'init',
  summary: 'write a commented event-sync.yaml; asks for what it must know, never for a secret',
  help: HELP,
  exits: ['failed', 'usage'],
  options: [new Option('--add', 'add a further integration to an existing event-sync.yaml')],
  async run({ options, global, io }: Call<{ readonly add?: boolean }>) {
    const { config: path, input, quiet } = global
    const isAsked = canAsk(io, { input, json: false, quiet })
    if (options.add === true) {
      const { addIntegration } = await import('./add-integration.ts')
      const integration = await addIntegration(global, io, isAsked)
      const text = nextSteps(path, `${path} has ${integration.id} now`, [integration], true, io.cwd)
      return { text, json: { config: resolve(io.cwd, path), added: integration.id }, alsoText: true }
    }
    requireNew(path, io.cwd)
    const config = isAsked
      ? await converse(io.stdin, io.stderr.bare ?? io.stderr, (ask) => askForConfig(ask, machine.timeZone))
      : sampleConfig()
    const schema = join(dirname(path), SCHEMA_FILE)
    const isKept = isThere(schema, io.cwd)
    if (!isKept) writeNewFile(schema, schemaText('configuration'), io.cwd)
    writeNewFile(path, toCommentedYaml(config, [FOR_EDITORS, ...introduction(isAsked)]), io.cwd)
    const kept = isKept ? `; ${schema} was there already, and is kept` : ''
    const text = nextSteps(path, `${path} is written${kept}`, config.integrations, isAsked, io.cwd)
    const json = { config: resolve(io.cwd, path), schema: resolve(io.cwd, schema) }
    return { text, json, alsoText: true }
  },
})

function introduction(isAsked: boolean): readonly string[] {
  const sample =
    'A sample: keep the integration of your kind of source, put your own values there, and delete the others.'
  return [
    'What event-sync copies, from where to where, and how.',
    ...(isAsked ? [] : [sample]),
    'A key behind a # is left out; it shows its default, or an example where it has none.',
    'Secrets do not belong here: env:NAME names an environment variable, file:PATH a file.',
  ]
}

/**
 * Returns the text that `init` prints at its end: what it did, and the next commands.
 *
 * @param done what `init` did, as the beginning of a sentence
 */
function nextSteps(
  path: string,
  done: string,
  integrations: readonly IntegrationInput[],
  isAsked: boolean,
  cwd: string,
): string {
  const variables = [...JSON.stringify(integrations).matchAll(/"env:(\w+)"/g)].map(([, name]) => name)
  const given = resolve(cwd, 'event-sync.yaml') === resolve(cwd, path) ? '' : ` -c ${shellWord(path)}`
  const choice = '  keep the integration of your kind of source, with your values, and delete the others'
  return [
    `${done}. Next:`,
    ...(isAsked ? [] : [choice]),
    ...variables.map((name) => `  export ${name}=…`),
    ...integrations.map(({ id }) => `  event-sync${given} check ${id}`),
    '',
  ].join('\n')
}

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

const { integrations: integrationsSchema } = configSchema.shape

/** Asks for a configuration with one integration. */
export async function askForConfig(ask: Ask, machineZone: string | undefined): Promise<ConfigInput> {
  const integration = await askForIntegration(ask, machineZone)
  const folder = await ask({
    ...about(outputFolderSchema),
    key: 'output',
    preset: outputFolderSchema.parse(undefined),
    schema: outputFolderSchema,
  })
  return { output: { folder }, integrations: [integration] }
}

/** Returns the sample configuration as text: every key with its description and default. */
export function describeConfig(): string {
  return toCommentedYaml(sampleConfig(), introduction(false))
}

/**
 * Returns a sample configuration with one integration for each source type. The values are the examples in
 * the schema. The time zone is left out, because nobody would notice a wrong time zone.
 */
export function sampleConfig(): ConfigInput {
  const sources = sourceTypes.options.map((type) => {
    const { url, eventId } = SOURCES[type].shape
    const secrets = secretsOf(type).map(([key, schema]) => [key, exampleOf(schema)])
    const place = { type, url: exampleOf(url), eventId: exampleOf(eventId) }
    return { ...place, ...Object.fromEntries(secrets) } as SourceInput
  })
  return {
    output: { folder: outputFolderSchema.parse(undefined) },
    integrations: sources.map((source, index) => ({
      id: exampleOf(integrationsSchema.element.shape.id, index) ?? `event-${index + 1}`,
      source,
      ...minimal,
    })),
  }
}
