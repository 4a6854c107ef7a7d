import { expect, test } from 'vitest'
import { makeProgram } from '../../../pipeline/commands/program.ts'
import { messageAbout, testMessage } from '../../../pipeline/observe/notice-text.ts'
import { notRun } from '../../../pipeline/runtime/report.ts'
import { OUTPUTS, PUBLISHED, publishedSchema } from '../../../pipeline/schemas/published.ts'
import { openTestIo, runInProcess } from '../commands/in-process.ts'
import { ajv, faultsOf } from './published-output.ts'

/** Commands that print no JSON of their own: text for people, a script, or a schema. */
const WITHOUT_JSON = ['completion', 'demo', 'help', 'man', 'mcp', 'schema', 'worker']

test('every command has a published schema of its output, except commands that print no JSON', async () => {
  const { commands } = await makeProgram(openTestIo(), () => undefined)
  const names = commands.map((command) => command.name())
  expect([...Object.keys(OUTPUTS), ...WITHOUT_JSON].toSorted()).toEqual(names.toSorted())
})

test.each(PUBLISHED)('the schema %s is valid JSON Schema 2020-12, and `schema` prints it', async (name) => {
  const { code, stdout } = await runInProcess(['schema', name], {})
  expect(code).toBe(0)
  const printed = JSON.parse(stdout)
  expect(printed).toEqual(JSON.parse(JSON.stringify(publishedSchema(name))))
  expect(printed.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(ajv.validateSchema(printed)).toBe(true)
  expect(ajv.compile(printed)).toBeTypeOf('function')
})

test('a published schema accepts a key that a newer version adds, and rejects a value of another type', () => {
  const pin = { since: '2031-05-01T06:00:00Z', until: null, reason: null }
  const output = { integration: 'summit', pinned: pin, underWay: null }
  const isPublished = ajv.compile(publishedSchema('pause'))
  expect(isPublished({ ...output, added: 1 })).toBe(true)
  expect(faultsOf('pause', { ...output, added: 1 })).not.toEqual([])
  expect(isPublished({ ...output, pinned: { ...pin, since: 'soon' } })).toBe(false)
  expect(isPublished({ pinned: pin, underWay: null })).toBe(false)
})

test('messages to webhooks, also test messages, are as published', () => {
  const report = { ...notRun('summit', 'failed', 'no answer'), notes: ['a note'] }
  const ended = { report, exitCode: 1, meaning: 'failed', todo: 'run again' }
  const occasion = { end: 'failed', state: 'begun', before: null } as const
  const at = '2031-05-01T06:00:09.114Z'
  const messages = [messageAbout(ended, occasion, at, '/out'), testMessage(['held'], undefined, at)]
  for (const { text, facts } of messages)
    expect(faultsOf('webhook', { contract: '1.0', text, ...facts })).toEqual([])
})
