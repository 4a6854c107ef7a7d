import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonSchema } from '../../../pipeline/config/config.ts'
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
  expect(readdirSync(folder())).toEqual(['event-sync.yaml'])
  const { integrations } = load(read('event-sync.yaml'))
  expect(integrations.map(({ id, source }) => [id, source.type, source.timeZone])).toEqual([
    ['summit', 'a', undefined],
    ['expo', 'b', undefined],
  ])
})

test('init --json prints one object with the path of the file; text for people goes to standard error', async () => {
  const { code, stdout, stderr } = await eventSync('-c', 'my event.yaml', 'init', '--no-input', '--json')
  expect(code).toBe(0)
  expect(stdout).toBe(`${JSON.stringify({ config: join(folder(), 'my event.yaml') })}\n`)
  expect(stderr).toContain("  event-sync -c 'my event.yaml' check summit\n")
})

test('init ends with 64 if the file exists or its folder is missing, and never overwrites a file', async () => {
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
  for (const args of [['schema'], ['schema', '--json']]) {
    const { code, stdout, stderr } = await eventSync(...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(jsonSchema())))
  }
  expect(readdirSync(folder())).toEqual(['event-sync.yaml'])
})
