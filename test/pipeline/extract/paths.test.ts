import { describe, expect, test } from 'vitest'
import { type Config, ConfigError, loadConfig } from '../../../pipeline/config.ts'
import { connect } from '../../../pipeline/extract/connect.ts'
import { makeRetries } from '../../../pipeline/extract/retry.ts'
import type { Page } from '../../../pipeline/extract/source.ts'
import { testEnvironment } from './support.ts'

/** Names that an event or a version may bear, and that could lead elsewhere if they were not escaped. */
const HOSTILE = [
  '../admin',
  'x/../../admin',
  'x/..',
  './x',
  '/etc/passwd',
  '//other.example/x',
  'https://other.example/x',
  '\\\\other.example\\x',
  '..\\admin',
  '?x=1',
  'x?$top=1&$skip=5',
  'x&event_id=78',
  'x;y=1',
  '#top',
  'x#?y',
  '%2e%2e',
  '%2e%2e%2fadmin',
  '.%2e/x',
  '%',
  '%zz',
  '...',
  '.. ',
  ' ..',
  'x@other.example',
  'user:password@other.example',
  ':8080',
  'a b',
  '+',
  "'",
  '"x"',
  '<script>',
  'é😀',
  '\u2025',
  '\uff0e\uff0e',
  'x\u2028y',
  '007',
]

const REFUSED = [
  ['nothing', ''],
  ['blanks', ' \u00a0 '],
  ['a line separator', '\u2028'],
  ['a dot', '.'],
  ['two dots', '..'],
  ['a line feed', 'x\ny'],
  ['a header of its own', 'x\r\nHost: other.example'],
  ['a tab, which URL would drop', '.\t.'],
  ['NUL', 'x\u0000'],
  ['DEL', 'x\u007f'],
  ['a control character above ASCII', 'x\u0085'],
  ['half a character', 'x\ud800'],
] as const

type Place = Readonly<Record<string, string>>
const A = 'https://source.example/base'
const configOf = (source: Place): Config =>
  loadConfig('event-sync.yaml', {
    env: {},
    // JSON is YAML too.
    readFile: () => JSON.stringify({ integrations: [{ id: 'event', source, platform: { type: 'jsonl' } }] }),
  })
const sourceOfA = (place: Place): Place => ({ type: 'a', url: A, eventId: '4242', ...place })
const sourceOfB = (place: Place): Place => ({
  ...{ type: 'b', url: A, eventId: '77', apiKey: 'env:KEY', authenticationSecret: 'env:KEY' },
  ...place,
})

/** The first address that each resource is read from. */
async function addressesOf(source: Place): Promise<readonly URL[]> {
  const [integration] = configOf(source).integrations
  if (integration === undefined) throw new Error('no integration')
  const environment = testEnvironment()
  const secrets = { env: { KEY: 'key' }, readFile: () => '', configFolder: '/' }
  const limits = { timeoutMs: 1000, maxResponseBytes: 1000 }
  const retries = makeRetries(environment, 0, () => undefined)
  const connected = connect(integration, { environment, secrets, limits, retries })
  const asked: URL[] = []
  const page: Page = { elements: 0, first: null, last: null, members: {}, form: 'array' }
  const readPage = async (url: URL) => {
    // As it goes over the wire.
    asked.push(new URL(url.href))
    return page
  }
  for (const resource of connected.resources) {
    await connected.source.readToEnd(resource, readPage, async () => undefined, null)
  }
  return asked
}

const RESOURCES_OF_A = ['Sessions', 'TimeSlots', 'Rooms', 'Tracks', 'SessionTypes', 'Users']

describe('a name in the path of Source A stays one segment, whatever it holds', () => {
  test.each(HOSTILE)('%j', async (name) => {
    for (const [place, before, after] of [
      [{ eventId: name }, ['', 'base', 'api', 'v1'], []],
      [{ version: name }, ['', 'base', 'api'], ['4242']],
    ] as const) {
      const asked = await addressesOf(sourceOfA(place))
      expect(asked.map(({ origin }) => origin)).toEqual(RESOURCES_OF_A.map(() => 'https://source.example'))
      const paths = asked.map(({ pathname }) => pathname.split('/').map(decodeURIComponent))
      expect(paths).toEqual(RESOURCES_OF_A.map((resource) => [...before, name, ...after, resource]))
      for (const { hash, username, password, searchParams } of asked) {
        expect([hash, username, password]).toEqual(['', '', ''])
        expect([...searchParams.keys()].filter((key) => key !== '$expand')).toEqual([
          '$orderby',
          '$top',
          '$skip',
        ])
      }
    }
  })
})

describe('a name in the query of Source B stays one value, whatever it holds', () => {
  test.each(HOSTILE)('%j', async (name) => {
    const asked = await addressesOf(sourceOfB({ eventId: name }))
    expect(asked.map(({ origin, pathname }) => origin + pathname)).toEqual([
      `${A}/api/v1/sessions.json`,
      `${A}/api/v1/registrants.json`,
      `${A}/api/v1/reg-types.json`,
    ])
    for (const { searchParams, hash } of asked) {
      expect([...searchParams.keys()]).toEqual(['event_id', 'fields', 'page', 'per-page'])
      expect([searchParams.get('event_id'), hash]).toEqual([name, ''])
    }
  })

  test('nor does the name of a field', async () => {
    const source = { ...sourceOfB({}), fields: { email: 'x&event_id=78#' } } as unknown as Place
    for (const { searchParams } of await addressesOf(source)) {
      expect(searchParams.getAll('event_id')).toEqual(['77'])
    }
  })
})

describe('a name that could not stay one is refused by the configuration, with exit code 64', () => {
  const refuse = (source: Place) => {
    try {
      configOf(source)
    } catch (error) {
      if (error instanceof ConfigError) return error
      throw error
    }
    throw new Error('it was accepted')
  }

  test.each(REFUSED)('%s', (_, name) => {
    for (const [key, source] of [
      ['eventId', sourceOfA({ eventId: name })],
      ['version', sourceOfA({ version: name })],
      ['eventId', sourceOfB({ eventId: name })],
    ] as const) {
      const error = refuse(source)
      expect(error.exitCode).toBe(64)
      expect(error.message).toContain(`integrations[0].source.${key}: `)
    }
  })
})
