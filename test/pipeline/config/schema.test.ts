import { createHash } from 'node:crypto'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type Config,
  configHash,
  configurationOf,
  jsonSchema,
  type SecretReference,
} from '../../../pipeline/config/config.ts'
import { load, loadFiles, sourceA, sourceB } from './samples.ts'

interface JsonSchema {
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
}

/** Returns every property of a schema with its path, and says if the property is required. */
function propertiesOf(
  schema: JsonSchema,
  path = '',
): { path: string; property: JsonSchema; required: boolean }[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => [
    { path: `${path}.${key}`, property, required: schema.required?.includes(key) ?? false },
    ...propertiesOf(property, `${path}.${key}`),
  ])
  const forms = (schema.oneOf ?? (schema.properties ? [] : schema.anyOf) ?? []).flatMap((form, index) =>
    propertiesOf(form, `${path}<${index}>`),
  )
  return [...own, ...forms, ...(schema.items ? propertiesOf(schema.items, `${path}[]`) : [])]
}

describe('the JSON Schema', () => {
  const schema: JsonSchema = JSON.parse(JSON.stringify(jsonSchema()))
  const properties = propertiesOf(schema)

  test('the JSON Schema describes every key in one sentence', () => {
    expect(properties.length).toBeGreaterThan(60)
    const undescribed = properties.filter(({ property }) => !/^[A-Z1].*\.$/.test(property.description ?? ''))
    expect(undescribed.map(({ path }) => path)).toStrictEqual([])
  })

  test('the JSON Schema has a default for every optional key, or says what happens if the key is left out', () => {
    const silent = properties.filter(
      ({ required, property }) =>
        !required && property.default === undefined && !/left out: .+\.$/.test(property.description ?? ''),
    )
    expect(silent.map(({ path }) => path)).toStrictEqual([])
  })

  test('the JSON Schema has an example for every value that has no default', () => {
    const bare = properties.filter(
      ({ property }) =>
        property.default === undefined &&
        property.const === undefined &&
        property.examples === undefined &&
        property.properties === undefined &&
        property.oneOf === undefined &&
        !property.anyOf?.some((form) => form.properties !== undefined) &&
        property.items?.properties === undefined,
    )
    expect(bare.map(({ path }) => path)).toStrictEqual([])
  })
})

test('the stored configuration has neither secrets nor the values of people with which rules compare', () => {
  const config = load(`${sourceA}    exclude:
      - {name: testers, content: attendees, where: {emailAddress: [ada@people.example, b], company: {contains: TEST}}}
      - {name: absent, content: [agenda, speakers], where: {description: x}}
      - {name: breaks, content: agenda, where: {name: Break, speakerIds: u1, description: {missing: true}}}
webhook: {url: https://hooks.example/1}
mail: {smtp: env:SMTP_URL, from: ada@people.example, to: [grace@people.example]}
`)
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('no integration')
  const text = configurationOf(config, integration)
  expect(createHash('sha256').update(text).digest('hex')).toBe(configHash(config, integration))
  expect(text).not.toMatch(/people\.example|hooks|TEST|"u1"|"x"/)
  expect(text).toContain('"emailAddress":{"form":"is","values":["(hidden)","(hidden)"]}')
  expect(text).toContain('"name":{"form":"is","values":["Break"]}')
  expect(text).toContain('"description":{"form":"missing","isMissing":true}')
})

describe('the hash of a configuration', () => {
  const hashOf = (yaml: string, index = 0) => {
    const config = load(yaml)
    const integration = config.integrations[index]
    if (integration === undefined) throw new Error('no such integration')
    return configHash(config, integration)
  }

  test('the hash of a configuration is the SHA-256 of the canonical JSON of the configuration in effect', () => {
    const canonical =
      '{"audit":{"excel":false,"personalData":"full"},' +
      '"http":{"maxBytes":17179869184,"maxRecordBytes":4194304,"maxRecords":2000000,"maxResponseBytes":2147483648,"maxResponseSeconds":300,"resumeMinutes":60,"retryBudgetSeconds":300,"timeoutSeconds":30},' +
      '"integration":{"content":["agenda","speakers","attendees"],' +
      '"guards":{"blackout":true,"massUpdate":0.5,"maxQuarantined":0,"onHold":"stop"},"handover":"replace",' +
      '"hints":{"doubleBookedRooms":"on","doubleBookedSpeakers":"on","sessionsWithoutRoom":"on","sessionsWithoutSpeaker":"on","speakersWithoutSession":"on"},"id":"expo","platform":{"type":"jsonl"},' +
      '"removals":{"action":"remove","maxShare":0.2,"maxStatedShare":0.5},' +
      '"source":{"apiKey":"env:KEY","authenticationSecret":"file:secret.txt","cancelledSpeakers":"keep","eventId":"77",' +
      '"fields":{"email":"email"},"reading":{"mode":"full"},"speakerRegistrantType":"Speaker","type":"b","url":"https://source-b.example"}}}'
    expect(hashOf(sourceB)).toBe(createHash('sha256').update(canonical).digest('hex'))
  })

  test.each([
    ['a default written out', `${sourceA}      version: v1\nhttp: {timeoutSeconds: 30}\n`],
    [
      'another order of keys',
      sourceA.replace('type: a\n', 'eventId: "4242"\n').replace(/eventId: 4242\n/, 'type: a\n'),
    ],
    ['a comment', `# ours\n${sourceA}`],
    ['another place for the data', `${sourceA}output: /srv/out\ndatabase: env:DATABASE_URL\n`],
    ['another mode of the output', `${sourceA}output: {mode: public}\n`],
    ['another integration beside it', sourceA + sourceB.split('\n').slice(1).join('\n')],
  ])('the hash of a configuration does not change with %s', (_, yaml) => {
    expect(hashOf(yaml)).toBe(hashOf(sourceA))
  })

  test('the hash of a configuration does not change if values move to defaults, to another file, or into an anchor', () => {
    const hashOfFiles = (files: Readonly<Record<string, string>>) => {
      const config = loadFiles(files)
      return config.integrations.map((integration) => configHash(config, integration))
    }
    const whole = `id: summit
source: {type: a, url: https://source-a.example, eventId: 007, auth: {type: bearer, token: file:keys/token}}
platform: {type: jsonl}
removals: {maxShare: 0.1, minCount: 3}
`
    const common = `{source: {type: a, url: https://source-a.example, auth: {type: bearer, token: file:keys/token}}, removals: {maxShare: 0.1}}`
    const own = '{id: summit, source: {eventId: 007}, platform: {type: jsonl}, removals: {minCount: 3}}'
    const inline = { 'event-sync.yaml': `integrations:\n  - ${whole.replaceAll('\n', '\n    ')}` }
    const expected = hashOfFiles(inline)
    expect(expected).toHaveLength(1)
    const variants = [
      { 'event-sync.yaml': `defaults: ${common}\nintegrations: [${own}]\n` },
      { 'event-sync.yaml': `defaults: ${common}\nintegrations: c/*.yaml\n`, 'c/summit.yaml': own },
      {
        'event-sync.yaml': 'integrations: c/*.yaml\n',
        'c/summit.yaml': whole.replace('file:keys', 'file:../keys'),
      },
      {
        'event-sync.yaml': `defaults: {removals: &few {minCount: 3}}\nintegrations:\n  - ${whole.replace('{maxShare: 0.1, minCount: 3}', '{<<: *few, maxShare: 0.1}').replaceAll('\n', '\n    ')}`,
      },
    ]
    for (const files of variants) expect(hashOfFiles(files)).toEqual(expected)
  })

  test.each([
    ['the event', sourceA.replace('4242', '4243')],
    ['an option of the source', `${sourceA}      includeHidden: true\n`],
    ['a guard', `${sourceA}    guards: {blackout: false}\n`],
    ['http', `${sourceA}http: {timeoutSeconds: 31}\n`],
    ['audit', `${sourceA}audit: {personalData: masked}\n`],
  ])('changes with %s', (_, yaml) => {
    expect(hashOf(yaml)).not.toBe(hashOf(sourceA))
  })
})

test('the types of a configuration are read-only, and its secrets are references', () => {
  expectTypeOf<Config['sealingKey']>().toEqualTypeOf<SecretReference | undefined>()
  expectTypeOf<SecretReference>().toEqualTypeOf<`env:${string}` | `file:${string}`>()
  expectTypeOf<Config['integrations']>().not.toHaveProperty('push')
  expectTypeOf<Config['integrations'][number]['content'][number]>().toEqualTypeOf<
    'agenda' | 'speakers' | 'attendees'
  >()
})
