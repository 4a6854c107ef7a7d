import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configSchema, jsonSchema } from '../../../pipeline/config.ts'
import { designSample, sourceA, sourceB } from './samples.ts'

type Mapping = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

// Strict: a keyword that is unknown or does not go with its type is an error, and so is what breaks draft 7.
const byJsonSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(jsonSchema())

/** Whether an editor that judges by the JSON Schema is content. */
const acceptsInEditor = (config: unknown) => byJsonSchema(config)

/** Whether the command is. What no schema of one key can say is passed over: time zones, rules over several keys. */
function acceptsInCommand(config: unknown): boolean {
  const { success, error } = configSchema.safeParse(config)
  const told = (error?.issues ?? []).filter(
    ({ code, path, message }) =>
      !(path.at(-1) === 'timeZone' && message.includes(', got "')) &&
      !(code === 'custom' && /is the id of|needs the choice|needs a top-level/.test(message)),
  )
  return success || told.length === 0
}

const everyKey: readonly (readonly [name: string, config: unknown])[] = [
  [
    'Source A, jsonl, one password for all',
    {
      database: 'env:DATABASE_URL',
      output: './out',
      integrations: [
        {
          id: 'summit',
          source: {
            type: 'a',
            url: 'https://source-a.example',
            version: 'v1',
            eventId: 4242,
            timeZone: 'Europe/Berlin',
            speakers: 'role',
            fields: { facebook: 'FB', linkedin: 'LI' },
            sessionStatuses: ['Accepted'],
            includeHidden: true,
            includePending: true,
            oneToOneTypes: ['Chat'],
            locationSeparator: '',
          },
          content: ['agenda'],
          platform: { type: 'jsonl' },
          removals: { action: 'keep', maxShare: 1, minCount: 0 },
          guards: { blackout: false, massUpdate: 0, maxQuarantined: 7, onHold: 'withholdRemovals' },
          passwords: { mode: 'global', global: 'file:the password', storeEncryptedPassword: true },
          schedule: { cron: '0 */4 * * *', timeZone: 'UTC' },
        },
      ],
      http: {
        timeoutSeconds: 1,
        retryBudgetSeconds: 0,
        maxRecordBytes: 1,
        maxResponseBytes: 1,
        resumeMinutes: 0,
      },
      audit: { personalData: 'masked', excel: true, signingKey: 'file:key.pem' },
      sealingKey: 'env:EVENT_SYNC_KEY',
    },
  ],
  [
    'Source B, http, random passwords',
    {
      integrations: [
        {
          id: 'expo',
          source: {
            type: 'b',
            url: 'HTTP://Source-B.example:80/base/',
            eventId: '77',
            apiKey: 'env:SOURCE_B_API_KEY',
            authenticationSecret: 'file:secret.txt',
            speakerRegistrantType: 20,
            timeZone: 'UTC',
            fields: { email: 'work_email' },
            cancelledSpeakers: 'exclude',
          },
          platform: {
            type: 'http',
            url: 'https://münchen.example/sync',
            eventId: 9,
            token: 'env:T',
            batchSize: 1,
          },
          passwords: { mode: 'random', storeEncryptedPassword: true },
        },
      ],
      sealingKey: 'env:EVENT_SYNC_KEY',
    },
  ],
  [
    'no passwords',
    {
      integrations: [
        {
          id: 7,
          source: { type: 'a', url: 'http://localhost:8080', eventId: 'x/y' },
          platform: { type: 'jsonl' },
          passwords: { mode: 'none', storeEncryptedPassword: false },
        },
      ],
    },
  ],
]

/** Values of every kind, some good somewhere, most bad nearly everywhere. */
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  1.5,
  10_001,
  9_007_199_254_740_992,
  '',
  ' ',
  '\t',
  'a\nb',
  'é',
  '.',
  '..',
  '...',
  'a',
  'b',
  'A-1',
  '-a',
  'x'.repeat(63),
  'x'.repeat(64),
  'env:NAME',
  'env:1NAME',
  'env:',
  'file:a b',
  'file: ',
  'file:',
  'http:key',
  'https://x.example',
  'https://x.example/a/',
  'https://x.example/?q',
  'https://x.example#f',
  'https://me:pw@x.example',
  'https://x y.example',
  'https://',
  'ftp://x.example',
  'full',
  'keep',
  'none',
  'jsonl',
  [],
  ['agenda'],
  ['agenda', 'agenda'],
  [''],
  [1],
  {},
  { type: 'a' },
]

/** Every place within a value, itself not among them. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, Array.isArray(value) ? Number(key) : key]
    return [place, ...placesIn(inner, place)]
  })
}

/** A copy with one place changed. */
function changedAt(value: unknown, path: Path, change: (parent: Mapping, key: string) => void): unknown {
  const copy: unknown = structuredClone(value)
  const parent = path.slice(0, -1).reduce((inner, key) => Reflect.get(Object(inner), key), copy)
  change(parent as Mapping, String(path.at(-1)))
  return copy
}

const verdicts = (config: unknown) => [acceptsInCommand(config), acceptsInEditor(config)]

describe('an editor that knows the schema agrees with the command', () => {
  test.each([
    ['the sample of the design', parse(designSample) as unknown] as const,
    ['the least of Source A', parse(sourceA) as unknown] as const,
    ['the least of Source B', parse(sourceB) as unknown] as const,
    ...everyKey,
  ])('that this is a configuration: %s', (_name, config) => {
    expect(verdicts(config)).toStrictEqual([true, true])
    expect(configSchema.safeParse(config).error).toBeUndefined()
  })

  test.each(everyKey)('about any other value in any place of: %s', (_name, config) => {
    const tried = { accepted: 0, refused: 0 }
    const apart: unknown[] = []
    for (const path of placesIn(config)) {
      for (const value of values) {
        const changed = changedAt(config, path, (parent, key) => Object.assign(parent, { [key]: value }))
        const [command, editor] = verdicts(changed)
        tried[command ? 'accepted' : 'refused'] += 1
        if (command !== editor) apart.push({ path: path.join('.'), value, command, editor })
      }
    }
    expect(apart).toStrictEqual([])
    expect(tried.accepted).toBeGreaterThan(50)
    expect(tried.refused).toBeGreaterThan(300)
  })

  test.each(everyKey)('about any key taken out of, or put into: %s', (_name, config) => {
    const places = placesIn(config)
    const apart = places.flatMap((path) => {
      const without = changedAt(config, path, (parent, key) => Reflect.deleteProperty(parent, key))
      const beside = changedAt(config, path, (parent) => Object.assign(parent, { colour: 'red' }))
      return [without, beside]
        .map(verdicts)
        .filter(([command, editor]) => command !== editor)
        .map(([command, editor]) => ({ path: path.join('.'), command, editor }))
    })
    expect(apart).toStrictEqual([])
  })

  test.each([null, [], 'text', 5, {}])('that %j is no configuration', (config) => {
    expect(verdicts(config)).toStrictEqual([false, false])
  })
})
