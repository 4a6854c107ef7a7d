import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileSchema, integrationFileSchema } from '../../../pipeline/config/config.ts'
import { useFolder } from '../../support/folder.ts'
import { load } from '../config/samples.ts'
import { runInProcess } from './in-process.ts'

const folder = useFolder()
const eventSync = (...args: readonly string[]) => runInProcess(args, { folder: folder(), input: 'a\n' })
const read = (name: string) => readFileSync(join(folder(), name), 'utf8')

test('without a terminal init asks nothing and writes a valid sample configuration of both sources', async () => {
  const { code, stdout, stderr } = await eventSync('init')
  expect(stdout).toBe(`./event-sync.yaml is written. Next:
  keep the integration of your kind of source, with your values, and delete the others
  export SOURCE_B_API_KEY=…
  export SOURCE_B_AUTHENTICATION_SECRET=…
  event-sync check summit
  event-sync check expo
`)
  expect([code, stderr]).toEqual([0, ''])
  expect(readdirSync(folder()).sort()).toEqual(['event-sync.schema.json', 'event-sync.yaml'])
  const { integrations } = load(read('event-sync.yaml'))
  expect(integrations.map(({ id, source }) => [id, source.type, source.timeZone])).toEqual([
    ['summit', 'a', undefined],
    ['expo', 'b', undefined],
  ])
})

test('init --json prints one object with the path of the file; text for people goes to standard error', async () => {
  const { code, stdout, stderr } = await eventSync('-c', 'my event.yaml', 'init', '--no-input', '--json')
  expect(code).toBe(0)
  expect(stdout).toBe(
    `${JSON.stringify({ config: join(folder(), 'my event.yaml'), schema: join(folder(), 'event-sync.schema.json') })}\n`,
  )
  expect(stderr).toContain("  event-sync -c 'my event.yaml' check summit\n")
})

test('the first line of the configuration names the schema for editors, and init writes this schema beside the file', async () => {
  mkdirSync(join(folder(), 'events'))
  expect((await eventSync('-c', 'events/summit.yaml', 'init')).code).toBe(0)
  const [first = ''] = read('events/summit.yaml').split('\n')
  expect(first).toBe('# yaml-language-server: $schema=./event-sync.schema.json')
  expect(JSON.parse(read('events/event-sync.schema.json'))).toEqual(JSON.parse(JSON.stringify(fileSchema())))
})

test('if the schema for editors exists already, init does not replace it and says so', async () => {
  writeFileSync(join(folder(), 'event-sync.schema.json'), 'mine')
  const { code, stdout } = await eventSync('init')
  expect([code, read('event-sync.schema.json')]).toEqual([0, 'mine'])
  expect(stdout).toContain(
    './event-sync.yaml is written; event-sync.schema.json was there already, and is kept. Next:\n',
  )
})

const OLD = `# mine
integrations:
- id: summit   # kept
  source: {type: a, url: "https://a.example", eventId: "1"}
  platform: {type: jsonl}
  # content: [agenda]

# the output
output: ./packs
`

/** Runs \`init --add\` at a terminal, with answers for an integration of Source A. */
function add(...answers: readonly string[]) {
  const input = ['a', 'https://b.example', '2', 'Europe/Berlin', ...answers]
    .map((line) => `${line}\n`)
    .join('')
  return runInProcess(['init', '--add'], { folder: folder(), input, isTerminal: true })
}

test('init --add adds an integration to the list without changing other bytes; if the id exists, it asks for another id', async () => {
  writeFileSync(join(folder(), 'event-sync.yaml'), OLD, { mode: 0o600 })
  const { code, stdout, stderr } = await add('summit', 'expo', 'Expo 2031')
  expect([code, stdout]).toEqual([0, './event-sync.yaml has expo now. Next:\n  event-sync check expo\n'])
  expect(stderr).toContain('  id must be new, and "summit" is the id of another integration\n')
  expect(stderr).not.toContain('output')
  const text = read('event-sync.yaml')
  const [before = '', after = ''] = OLD.split('\n# the output')
  expect([text.startsWith(before), text.endsWith(`\n# the output${after}`)]).toEqual([true, true])
  const { integrations, output } = load(text)
  expect(output.folder).toBe('./packs')
  expect(integrations).toMatchObject([
    { id: 'summit', content: ['agenda', 'speakers', 'attendees'] },
    {
      id: 'expo',
      name: 'Expo 2031',
      source: { type: 'a', url: 'https://b.example', eventId: '2', timeZone: 'Europe/Berlin' },
    },
  ])
  expect(statSync(join(folder(), 'event-sync.yaml')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder())).toEqual(['event-sync.yaml'])
})

test('init --add changes nothing without a terminal, or if the file is missing, is invalid or has no list for integrations', async () => {
  const missing = await add('expo', '')
  expect([missing.code, missing.stderr]).toEqual([64, expect.stringContaining('does not exist')])
  const wrong = OLD.replace('jsonl', 'nosuch')
  writeFileSync(join(folder(), 'event-sync.yaml'), wrong)
  expect((await add('expo', '')).code).toBe(64)
  expect(read('event-sync.yaml')).toBe(wrong)
  writeFileSync(join(folder(), 'event-sync.yaml'), OLD)
  const unasked = await eventSync('init', '--add')
  expect([unasked.code, unasked.stderr]).toEqual([
    64,
    'there is nobody to ask for an integration; add it to the file by hand; nothing was written\n',
  ])
  const ended = await add()
  expect(ended.stderr).toContain('interrupted; nothing was written')
  expect(read('event-sync.yaml')).toBe(OLD)
})

test('init never overwrites a file: it ends with exit code 64 if the file exists, or if the folder does not exist', async () => {
  writeFileSync(join(folder(), 'event-sync.yaml'), 'mine')
  const { code, stdout, stderr } = await eventSync('init', '--no-input', '--json')
  expect([code, read('event-sync.yaml')]).toEqual([64, 'mine'])
  expect(stderr).toBe('./event-sync.yaml exists and is not overwritten; name another file with -c FILE\n')
  expect(JSON.parse(stdout)).toEqual({ error: stderr.trim() })
  const missing = await eventSync('-c', 'no/event-sync.yaml', 'init')
  expect([missing.code, missing.stdout]).toEqual([64, ''])
  expect(missing.stderr).toBe('the folder no does not exist; create it and run again; nothing was written\n')
})

test('schema prints the JSON Schema with and without --json, and needs no configuration', async () => {
  writeFileSync(join(folder(), 'event-sync.yaml'), '{')
  for (const [args, schema] of [
    [['schema'], fileSchema()],
    [['schema', '--json'], fileSchema()],
    [['schema', 'integrations'], integrationFileSchema()],
  ] as const) {
    const { code, stdout, stderr } = await eventSync(...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(schema)))
  }
  expect(readdirSync(folder())).toEqual(['event-sync.yaml'])
})
