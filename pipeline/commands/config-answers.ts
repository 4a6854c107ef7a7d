import { z } from 'zod'
import { type ConfigInput, configSchema } from '../config.ts'
import type { Ask } from './dialogue.ts'

type IntegrationInput = ConfigInput['integrations'][number]
type SourceInput = IntegrationInput['source']

const { output: outputSchema, integrations: integrationsSchema } = configSchema.shape
const { id: idSchema, source: sourceSchema } = integrationsSchema.element.shape
const [formA, formB] = sourceSchema.options

/** The least that is a configuration: everything else has a default. */
const minimal = { platform: { type: 'jsonl' } } as const

/**
 * Asks for what the configuration of one integration must say.
 *
 * Descriptions, examples and checks are those of the configuration itself.
 *
 * @param machineZone time zone of the machine, if it knows one
 */
export async function askForConfig(ask: Ask, machineZone: string | undefined): Promise<ConfigInput> {
  const type = await ask({
    about: `${formA.shape.type.description}\n${formB.shape.type.description}`,
    key: 'type',
    schema: z.enum([formA.shape.type.value, formB.shape.type.value]),
  })
  const { url, eventId, timeZone } = (type === 'a' ? formA : formB).shape
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
  const source: SourceInput =
    type === 'a' ? { type, ...place } : { type, ...place, ...(await askForCredentials(ask)) }
  const output = await ask({
    ...about(outputSchema),
    key: 'output',
    preset: outputSchema.parse(undefined),
    schema: outputSchema,
  })
  return { output, integrations: [{ id, source, ...minimal }] }
}

async function askForCredentials(ask: Ask) {
  const { apiKey, authenticationSecret } = formB.shape
  const questionOf = (key: string, schema: typeof apiKey) => ({
    about: `${schema.description} Only where it is kept is asked for, never the secret itself.`,
    key,
    preset: exampleOf(schema),
    schema,
  })
  return {
    apiKey: await ask(questionOf('apiKey', apiKey)),
    authenticationSecret: await ask(questionOf('authenticationSecret', authenticationSecret)),
  }
}

/** An integration of either source, with the examples of the schema. No time zone: a wrong one would go unnoticed. */
export function sampleConfig(): ConfigInput {
  const a: SourceInput = {
    type: 'a',
    url: exampleOf(formA.shape.url),
    eventId: exampleOf(formA.shape.eventId),
  }
  const b: SourceInput = {
    type: 'b',
    url: exampleOf(formB.shape.url),
    eventId: exampleOf(formB.shape.eventId),
    apiKey: exampleOf(formB.shape.apiKey),
    authenticationSecret: exampleOf(formB.shape.authenticationSecret),
  }
  return {
    output: outputSchema.parse(undefined),
    integrations: [a, b].map((source, index) => ({ id: exampleOf(idSchema, index), source, ...minimal })),
  }
}

function about({ description }: z.ZodType): { readonly about: string } {
  return { about: description ?? '' }
}

function exampleOf<Schema extends z.ZodType>(schema: Schema, index = 0): z.output<Schema> {
  return schema.parse(z.array(z.unknown()).parse(schema.meta()?.examples)[index])
}
