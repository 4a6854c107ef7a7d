import { z } from 'zod'
import { type ConfigInput, configSchema } from '../config/config.ts'
import { SOURCES } from '../sources/registry.ts'
import type { Ask } from './dialogue.ts'

export type IntegrationInput = ConfigInput['integrations'][number]
export type SourceInput = IntegrationInput['source']

const { id: idSchema, name: nameSchema } = configSchema.shape.integrations.element.shape
export const sourceTypes = z.enum(Object.keys(SOURCES) as (keyof typeof SOURCES)[])

/** Keys of a new integration about which `init` does not ask. All other keys have a default. */
export const minimal = { platform: { type: 'jsonl' } } as const

/**
 * Asks for the required values of one integration, its time zone and its name. The configuration schema
 * describes and checks each value.
 *
 * @param machineZone time zone of this machine, which is the proposed answer
 * @param taken ids of the existing integrations
 */
export async function askForIntegration(
  ask: Ask,
  machineZone: string | undefined,
  taken: readonly string[] = [],
): Promise<IntegrationInput> {
  const type = await ask({
    about: Object.values(SOURCES)
      .map(({ shape }) => shape.type.description)
      .join('\n'),
    key: 'type',
    schema: sourceTypes,
  })
  const { url, eventId } = SOURCES[type].shape
  const place = {
    url: await ask({ ...about(url), key: 'url', schema: url }),
    eventId: await ask({ ...about(eventId), key: 'eventId', schema: eventId }),
    ...(await askForTimeZone(ask, type, machineZone)),
  }
  const newId = idSchema.refine((id) => !taken.includes(id), {
    error: ({ input }) => `must be new, and ${JSON.stringify(input)} is the id of another integration`,
  })
  const id = await ask({ ...about(idSchema), key: 'id', schema: newId })
  const optionalName = z.preprocess((answer) => (answer === '' ? undefined : answer), nameSchema)
  const name = await ask({ ...about(nameSchema), key: 'name', schema: optionalName })
  const source = { type, ...place, ...(await askForSecrets(ask, type)) } as SourceInput
  return { id, ...(name === undefined ? {} : { name }), source, ...minimal }
}

/** Asks for the time zone if the source type has a key for it. */
async function askForTimeZone(ask: Ask, type: SourceInput['type'], machineZone: string | undefined) {
  const { shape } = SOURCES[type]
  if (!('timeZone' in shape)) return {}
  const { timeZone } = shape
  const preset = timeZone.safeParse(machineZone ?? '').success ? machineZone : 'UTC'
  const about = `${timeZone.description} Enter writes the time zone in brackets.`
  return { timeZone: await ask({ about, key: 'timeZone', preset, schema: timeZone }) }
}

async function askForSecrets(ask: Ask, type: SourceInput['type']) {
  const references: Record<string, unknown> = {}
  for (const [key, schema] of secretsOf(type)) {
    const about = `${schema.description} Only where it is kept is asked for, never the secret itself.`
    references[key] = await ask({ about, key, preset: exampleOf(schema), schema })
  }
  return references
}

/** Returns the keys of a source type that refer to secrets, each with its schema. */
export function secretsOf(
  type: SourceInput['type'],
): readonly (readonly [string, z.ZodType<string, string>])[] {
  const { shape, secrets } = SOURCES[type]
  const schemas: Readonly<Record<string, unknown>> = shape
  return secrets.map((key) => [key, schemas[key] as z.ZodType<string, string>])
}

export function about({ description }: z.ZodType): { readonly about: string } {
  return { about: description ?? '' }
}

export function exampleOf<Schema extends z.ZodType>(schema: Schema, index = 0): z.output<Schema> | undefined {
  return z.array(schema).parse(schema.meta()?.examples)[index]
}
