import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ConfigInput, jsonSchema, toCommentedYaml } from '../../../pipeline/config/config.ts'
import { load } from './samples.ts'

const a: ConfigInput['integrations'][number] = {
  id: 'summit',
  source: { type: 'a', url: 'https://source-a.example', eventId: '4242' },
  platform: { type: 'jsonl' },
}
const b: ConfigInput['integrations'][number] = {
  id: 'expo',
  source: {
    type: 'b',
    url: 'https://source-b.example',
    eventId: '77',
    apiKey: 'env:SOURCE_B_API_KEY',
    authenticationSecret: 'env:SOURCE_B_AUTHENTICATION_SECRET',
    timeZone: 'Europe/Berlin',
  },
  platform: { type: 'jsonl' },
}
const written = (...integrations: ConfigInput['integrations']) => toCommentedYaml({ integrations }, ['Ours.'])

/**
 * Matches a line in which a key is commented out with one `# `. Explanations after the first line are not
 * matched, because they have a second `#`.
 */
const keyBehindMark = /^( *)# ( *[A-Za-z]+:.*)$/

/**
 * Returns the file without the `# ` before each line of the chosen blocks, like a user who uncomments
 * options.
 */
function switchedOn(text: string, isChosen: (block: readonly string[]) => boolean): string {
  const lines = text.split('\n')
  const blocks: string[][] = []
  for (const line of lines) {
    const isNested = /^ *# {3}/.test(line) || /^ *# *#/.test(line)
    if (isNested && blocks.length > 0) blocks.at(-1)?.push(line)
    else blocks.push([line])
  }
  return blocks
    .flatMap((block) =>
      keyBehindMark.test(block[0] ?? '') && isChosen(block)
        ? block.map((line) => line.replace(/^( *)# /, '$1'))
        : block,
    )
    .join('\n')
}

/** Returns the names of all keys of the schema that the file writes on their own lines. */
function keysOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties = Object(Reflect.get(schema, 'properties'))
  // If a key has an object as its example, the file shows the whole example on one line.
  const isShown = typeof Reflect.get(schema, 'examples')?.[0] === 'object'
  // The key for a custom source type appears only in the comment that describes sources.
  const isOutside = Reflect.get(Object(Reflect.get(properties, 'type')), 'pattern') !== undefined
  if (isShown || isOutside) return []
  return [...Object.keys(properties), ...Object.values(schema).flatMap(keysOf)]
}

test('a sample file with both sources mentions every key of the schema', () => {
  const keys = keysOf(jsonSchema())
  expect(keys.length).toBeGreaterThan(60)
  for (const key of keys) expect(written(a, b)).toMatch(new RegExp(`^[ #-]*${key}:`, 'm'))
})

test('the comment of a key with an example names everything that the key accepts', () => {
  const comment = /# fields: \{agenda[\s\S]*?\n {4}platform:/.exec(written(a))?.[0]
  const words = 'from as text number flag url list where unless contains startsWith endsWith missing'
  for (const word of words.split(' ')) expect(comment).toMatch(new RegExp(`\\b${word}\\b`))
})

test('only the keys that are not commented out take effect; all commented keys keep their defaults', () => {
  expect(load(written(a, b))).toStrictEqual(load(JSON.stringify({ integrations: [a, b] })))
  expect(load(written(a))).toStrictEqual(load(JSON.stringify({ integrations: [a] })))
})

test('several webhooks are written as a list', () => {
  const webhook = [{ url: 'env:A' }, { url: 'env:B', on: ['finished' as const] }]
  expect(load(toCommentedYaml({ integrations: [a], webhook }, []))).toMatchObject({ webhook })
})

test('the sample file has only the options of the chosen source, because an integration keeps the type of its source', () => {
  expect(written(a)).not.toContain('apiKey')
  expect(written(b)).not.toContain('oneToOneTypes')
})

describe('removing the comment mark', () => {
  const text = written(a, b)
  const isAlternative = (block: readonly string[]) => (block[0] ?? '').includes('# Or, instead:')
  const hasDefault = (block: readonly string[]) =>
    !isAlternative(block) &&
    !/# (?:database|defaults|name|auth|timeZone|sessionStatuses|passwords|schedule|worker|retention|webhook|mail|lineage|sealingKey|formerSealingKeys|fields: \{agenda|exclude):?/.test(
      block[0] ?? '',
    )

  test('uncommenting all keys with a default changes nothing', () => {
    const all = switchedOn(text, hasDefault)
    expect(load(all)).toStrictEqual(load(text))
    for (const key of ['version: v1', 'removals:', 'maxShare: 0.2', 'http:', 'excel: false']) {
      expect(all).toMatch(new RegExp(`^ *${key}`, 'm'))
    }
  })

  test('uncommenting the keys without a default gives the values of their examples', () => {
    const on = switchedOn(text, (block) => !isAlternative(block))
    expect(load(on)).toMatchObject({
      database: 'env:DATABASE_URL',
      integrations: [
        {
          source: { timeZone: 'Europe/Berlin', sessionStatuses: ['Accepted'] },
          fields: { agenda: { level: { name: 'level', from: 'Level', as: 'text' } } },
          exclude: [{ name: 'test-people', contents: ['attendees'] }],
          passwords: { mode: 'global', global: 'env:ATTENDEE_PASSWORD', storeEncryptedPassword: false },
          schedule: { cron: '0 */4 * * *', timeZone: 'UTC' },
        },
        { source: { type: 'b' } },
      ],
      worker: { perAccount: 4, perPlatform: 4 },
      retention: { packs: '400d', history: '400d', unchangedRuns: '30d' },
      webhook: { url: 'env:WEBHOOK_URL', on: ['held', 'failed'], timeoutSeconds: 10 },
      mail: { smtp: 'env:SMTP_URL', to: ['data-team@organiser.example'], on: ['held', 'failed'] },
      lineage: { to: './lineage.jsonl', namespace: 'event-sync', timeoutSeconds: 10 },
      sealingKey: 'env:EVENT_SYNC_KEY',
    })
  })

  test('if a user uncomments an alternative form and removes the first form, the alternative is used', () => {
    const random = switchedOn(text, (block) => block.some((line) => line.includes('mode: random')))
    const on = switchedOn(random, (block) => block.some((line) => line.includes('type: http')))
    const config = load(
      on
        .replaceAll(/^ {4}platform: +# Destination.*\n {6}type: jsonl.*\n/gm, '')
        .replace(/^# (?=sealingKey)/m, '')
        // Each integration needs its own platform event.
        .replaceAll('eventId: "1001"', (_, at: number) => `eventId: "${at}"`),
    )
    for (const integration of config.integrations) {
      expect(integration).toMatchObject({
        platform: { type: 'http', url: 'https://platform.example', batchSize: 100 },
        passwords: { mode: 'random', storeEncryptedPassword: true },
      })
    }
  })
})

test('lines of the sample file have at most 110 characters and no trailing blanks', () => {
  const lines = written(a, b).split('\n')
  expect(lines[0]).toBe('# Ours.')
  expect(lines.filter((line) => line.length > 110 || /\s$/.test(line))).toEqual([])
})

test('every text that is written as a YAML value is read back unchanged', () => {
  const texts = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 200 })
    .filter((text) => /\S/.test(text) && !/\p{Cc}/u.test(text) && text !== '.' && text !== '..')
  const signs = [...'~["%@`|>?', "'"]
  const starts = '007 1e3 0x1F null yes *x &x !x 2031-05-04 --- ...x'.split(' ')
  const awkward = fc.constantFrom(...signs, ...starts, '# x', 'a #b', '- a', '{a: 1}', ': ', 'a: b', ' x ')
  fc.assert(
    fc.property(fc.oneof(texts, awkward), fc.oneof(texts, awkward), (eventId, output) => {
      const source = { ...a.source, eventId }
      const config = load(toCommentedYaml({ output, integrations: [{ ...a, source }] }, []))
      expect(config.output).toEqual({ folder: output, mode: 'private' })
      expect(config.integrations[0]?.source.eventId).toBe(eventId)
    }),
    { numRuns: 40 },
  )
})
