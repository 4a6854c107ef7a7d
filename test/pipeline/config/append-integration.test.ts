import { expect, test } from 'vitest'
import { describeConfig } from '../../../pipeline/commands/init.ts'
import { appendIntegration } from '../../../pipeline/config/append-integration.ts'
import { designSample, everyOption, load } from './samples.ts'

const added = {
  id: 'added',
  name: 'Added: "here"',
  source: { type: 'a', url: 'https://added.example', eventId: '007' },
  platform: { type: 'jsonl' },
} as const

const one = '{id: one, source: {type: a, url: "https://a.example", eventId: "1"}, platform: {type: jsonl}}'
const json = JSON.stringify({ integrations: [{ ...added, id: 'one' }], output: './packs' }, null, 2)

test.each<[where: string, text: string]>([
  ['the last key', `output: ./packs\nintegrations:\n  - ${one}\n`],
  ['the last key, without a line break at the end', `integrations:\n  - ${one}`],
  ['the last key, before comments and blank lines', `integrations:\n  - ${one} # mine\n\n# the end\n\n`],
  ['before another key', `integrations:\n  - ${one}\noutput: ./packs\n`],
  ['before a comment of another key', `integrations:\n  - ${one}\n# output: ./packs\nhttp: {}\n`],
  ['with dashes at the beginning of the line', `integrations:\n- ${one}\noutput: ./packs\n`],
  ['with dashes far to the right', `integrations:\n        -   ${one}\noutput: ./packs\n`],
  ['with an anchor', `integrations: &all\n  - ${one}\noutput: ./packs\n`],
  [
    'with a block of text at the end',
    `integrations:\n  - id: one\n    source: {type: a, url: "https://a.example", eventId: "1"}\n    platform: {type: jsonl}\n    name: |-\n      One\n\noutput: ./packs\n`,
  ],
  ['with the line ends of Windows', `integrations:\r\n  - ${one}\r\noutput: ./packs\r\n`],
  ['with a byte order mark', `\uFEFFintegrations:\n  - ${one}\noutput: ./packs\n`],
  ['between document markers', `---\nintegrations:\n  - ${one}\n...\n`],
  ['in brackets', `integrations: [${one}] # mine\noutput: ./packs\n`],
  ['in brackets, with a comma at the end', `integrations: [\n  ${one},\n]\n`],
  ['in JSON', json],
  ['of the sample', designSample],
  ['of a file with every option', everyOption],
  ['of a file that init wrote', describeConfig()],
])('an integration is added to a list %s, and the rest of the text stays', (_, text) => {
  const before = load(text)
  const after = appendIntegration(text, added) ?? ''
  const start = [...text].findIndex((character, at) => character !== after[at])
  const same = start === -1 ? text.length : start
  expect(after.slice(after.length - (text.length - same))).toBe(text.slice(same))
  const { integrations, ...rest } = load(after)
  const { integrations: others, ...former } = before
  expect(rest).toEqual(former)
  expect(integrations.slice(0, -1)).toEqual(others)
  expect(integrations.at(-1)).toMatchObject(added)
  expect(/(?<!\r)\n/.test(after)).toBe(/(?<!\r)\n/.test(text))
})

test('a new integration is written after the comments of the last integration, and before the comments of the next key', () => {
  const text = `integrations:\n  - ${one}\n    # content: [agenda]\n\n# the output\noutput: ./packs\n`
  const [above = '', below] = appendIntegration(text, added)?.split('\n  - id: added') ?? []
  expect(above).toBe(`integrations:\n  - ${one}\n    # content: [agenda]\n`)
  expect(below).toMatch(/ {4}# .*\n\n# the output\noutput: .\/packs\n$/)
})

test.each([
  ['an alias', `all: &all [${one}]\nintegrations: *all\n`],
  ['empty', 'integrations: []\n'],
  ['missing', 'output: ./packs\n'],
])('no integration is added to a list that is %s', (_, text) => {
  expect(appendIntegration(text, added)).toBeNull()
})
