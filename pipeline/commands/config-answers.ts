import { z } from 'zod'
import { type ConfigInput, configSchema } from '../config/config.ts'
import { SOURCES } from '../sources/registry.ts'
import type { Ask } from './dialogue.ts'

type IntegrationInput = ConfigInput['integrations'][number]
type SourceInput = IntegrationInput['source']

const { output: outputSchema, integrations: integrationsSchema } = configSchema.shape
const { id: idSchema } = integrationsSchema.element.shape
const types = z.enum(Object.keys(SOURCES) as (keyof typeof SOURCES)[])

/** The least that is a configuration: everything else has a default. */
const minimal = { platform: { type: 'jsonl' } } as const

/** Asks for what the configuration of one integration must say, with the configuration's own descriptions and checks. */
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

/** An integration of each source, with the examples of the schema. No time zone: a wrong one would go unnoticed. */
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
