import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type ConfigInput, configSchema, jsonSchema, toCommentedYaml } from '../config/config.ts'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { EXIT } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { SOURCES } from '../sources/registry.ts'
import { defineCommand } from './define-command.ts'
import { type Ask, canAsk, converse } from './dialogue.ts'

const HELP = `
Without a terminal, or with --no-input, it asks nothing and writes a sample with every source.
A file that is there already is never overwritten.

Examples:
  event-sync init
  event-sync -c summit.yaml init
  event-sync init --no-input`

export const addInitCommand = defineCommand({
  name: 'init',
  summary: 'write a commented event-sync.yaml; asks for what it must know, never for a secret',
  help: HELP,
  exits: ['failed', 'usage'],
  async run({ global: { config: path, input }, io }) {
    requireNew(path, io.cwd)
    const isAsked = canAsk(io, { input, json: false })
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const config = isAsked
      ? await converse(io.stdin, io.stderr.bare ?? io.stderr, (ask) => askForConfig(ask, zone))
      : sampleConfig()
    writeNewFile(path, toCommentedYaml(config, introduction(isAsked)), io.cwd)
    const text = nextSteps(path, config, isAsked, io.cwd)
    return { text, json: { config: resolve(io.cwd, path) }, alsoText: true }
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

function nextSteps(path: string, { integrations }: ConfigInput, isAsked: boolean, cwd: string): string {
  const variables = [...JSON.stringify(integrations).matchAll(/"env:(\w+)"/g)].map(([, name]) => name)
  const given = resolve(cwd, 'event-sync.yaml') === resolve(cwd, path) ? '' : ` -c ${shellWord(path)}`
  const choice = '  keep the integration of your kind of source, with your values, and delete the others'
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

type IntegrationInput = ConfigInput['integrations'][number]
type SourceInput = IntegrationInput['source']

const { output: outputSchema, integrations: integrationsSchema } = configSchema.shape
const { id: idSchema } = integrationsSchema.element.shape
const types = z.enum(Object.keys(SOURCES) as (keyof typeof SOURCES)[])

/** The smallest valid configuration of an integration. All other keys have defaults. */
const minimal = { platform: { type: 'jsonl' } } as const

/**
 * Asks for the required values of one integration, with the descriptions and checks of the configuration
 * schema.
 */
export async function askForConfig(ask: Ask, machineZone: string | undefined): Promise<ConfigInput> {
  const type = await ask({
    about: Object.values(SOURCES)
      .map(({ shape }) => shape.type.description)
      .join('\n'),
    key: 'type',
    schema: types,
  })
  const { url, eventId, timeZone } = SOURCES[type].shape
  const place = {
    url: await ask({ ...about(url), key: 'url', schema: url }),
    eventId: await ask({ ...about(eventId), key: 'eventId', schema: eventId }),
    timeZone: await ask({
      ...about(timeZone),
      key: 'timeZone',
      preset: timeZone.safeParse(machineZone ?? '').success ? machineZone : 'UTC',
      schema: timeZone,
    }),
  }
  const id = await ask({ ...about(idSchema), key: 'id', schema: idSchema })
  const source = { type, ...place, ...(await askForSecrets(ask, type)) } as SourceInput
  const output = await ask({
    ...about(outputSchema),
    key: 'output',
    preset: outputSchema.parse(undefined),
    schema: outputSchema,
  })
  return { output, integrations: [{ id, source, ...minimal }] }
}

async function askForSecrets(ask: Ask, type: SourceInput['type']) {
  const references: Record<string, unknown> = {}
  for (const [key, schema] of secretsOf(type)) {
    const about = `${schema.description} Only where it is kept is asked for, never the secret itself.`
    references[key] = await ask({ about, key, preset: exampleOf(schema), schema })
  }
  return references
}

/** Returns the sample configuration as text: every key with its description and default. */
export function describeConfig(): string {
  return toCommentedYaml(sampleConfig(), introduction(false))
}

/**
 * Returns a configuration with one integration of each source, with the examples of the schema. The time zone
 * is left out, because nobody would notice a wrong one.
 */
export function sampleConfig(): ConfigInput {
  const sources = types.options.map((type) => {
    const { url, eventId } = SOURCES[type].shape
    const secrets = secretsOf(type).map(([key, schema]) => [key, exampleOf(schema)])
    const place = { type, url: exampleOf(url), eventId: exampleOf(eventId) }
    return { ...place, ...Object.fromEntries(secrets) } as SourceInput
  })
  return {
    output: outputSchema.parse(undefined),
    integrations: sources.map((source, index) => ({
      id: exampleOf(idSchema, index) ?? `event-${index + 1}`,
      source,
      ...minimal,
    })),
  }
}

function secretsOf(type: SourceInput['type']): readonly (readonly [string, z.ZodType<string, string>])[] {
  const { shape, secrets } = SOURCES[type]
  const schemas: Readonly<Record<string, unknown>> = shape
  return secrets.map((key) => [key, schemas[key] as z.ZodType<string, string>])
}

function about({ description }: z.ZodType): { readonly about: string } {
  return { about: description ?? '' }
}

function exampleOf<Schema extends z.ZodType>(schema: Schema, index = 0): z.output<Schema> | undefined {
  return z.array(schema).parse(schema.meta()?.examples)[index]
}

/**
 * Checks that a file with this name can probably be created.
 *
 * @throws UserError if it clearly cannot
 */
export function requireNew(path: string, cwd: string): void {
  if (path === '')
    throw new UserError('usage', '-c is empty', 'name a file with -c FILE; nothing was written')
  if (isThere(path, cwd)) throw existing(path)
  const folder = dirname(path)
  if (!isThere(folder, cwd)) {
    throw new UserError(
      'file',
      `the folder ${folder} does not exist`,
      'create it and run again; nothing was written',
    )
  }
}

function isThere(path: string, cwd: string): boolean {
  try {
    return lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new UserError('file', `${path} cannot be accessed${describeCode(cause)}`, 'nothing was written', {
      cause,
    })
  }
}

/**
 * Writes a new file, either complete or not at all. An existing file stays unchanged.
 *
 * @param link creates a hard link and fails if the name exists
 * @throws UserError if the name exists or the folder is not writable; an existing file stays unchanged
 */
export function writeNewFile(path: string, text: string, cwd: string, link = linkSync): void {
  const place = resolve(cwd, path)
  const partial = `${place}.${randomBytes(6).toString('hex')}.partial`
  try {
    try {
      writeFileSync(partial, text, { flag: 'wx', flush: true })
      linkOrCopy(partial, place, link)
    } finally {
      rmSync(partial, { force: true })
    }
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST') throw existing(path)
    throw new UserError('file', `${path} cannot be written${describeCode(cause)}`, 'nothing was written', {
      cause,
    })
  }
}

/**
 * Creates the file as a hard link. Some file systems have no hard links; then it is copied without
 * overwriting.
 */
function linkOrCopy(partial: string, path: string, link: typeof linkSync): void {
  try {
    link(partial, path)
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw error
    copyFileSync(partial, path, constants.COPYFILE_EXCL)
  }
}

function existing(path: string): UserError {
  return new UserError('file', `${path} exists and is not overwritten`, 'name another file with -c FILE')
}

const SCHEMA_HELP = `
Examples:
  event-sync schema > event-sync.schema.json          for an editor that checks event-sync.yaml
  event-sync schema --no-color > ci/schema.json        for a check of event-sync.yaml in CI

An editor with a YAML language server then knows every key, if event-sync.yaml begins with
  # yaml-language-server: $schema=event-sync.schema.json`

export const addSchemaCommand = defineCommand({
  name: 'schema',
  summary: 'the JSON Schema of event-sync.yaml, for editors; needs no configuration',
  help: SCHEMA_HELP,
  exits: ['failed', 'usage'],
  async run({ io }) {
    io.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    return EXIT.ok
  },
})
