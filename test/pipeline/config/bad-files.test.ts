import { describe, expect, test } from 'vitest'
import { codeOf } from '../../../pipeline/commands/exit-code.ts'
import { loadConfig } from '../../../pipeline/config/config.ts'
import { complaints, configErrorOf, load, refuses, withSource, withTop } from './samples.ts'

test('the error reports all mistakes of a file at once, in their order in the file, and says how to continue', () => {
  const error = configErrorOf(() =>
    load(`http:
  timeoutSeconds: fast
integrations:
  - contents: [agenda]
    id: Summit
    platform: {type: jsonl}
    source:
      type: a
      url: ftp://x
sealingKey: env:KEY
`),
  )
  expect(codeOf(error)).toBe(64)
  expect(error.message).toBe(`event-sync.yaml has 5 errors
  event-sync.yaml:2:3: http.timeoutSeconds: must be a number from 1 to 3600, got "fast"
  event-sync.yaml:4:5: integrations[0].contents: unknown key; did you mean content?
  event-sync.yaml:5:5: integrations[0].id: must be 1 to 63 of a-z, 0-9 and -, and not begin with -, got "Summit"
  event-sync.yaml:7:5: integrations[0].source.eventId: is missing
  event-sync.yaml:9:7: integrations[0].source.url: is not an http or https address (not shown)
nothing was read or written; fix the file and run again`)
  expect(error.problems[1]).toStrictEqual({
    file: 'event-sync.yaml',
    path: 'integrations[0].contents',
    line: 4,
    column: 5,
    message: 'unknown key; did you mean content?',
  })
})

test('the error counts a single mistake as "1 error"', () => {
  const error = configErrorOf(() => load(withTop('output: ""')))
  expect(error.message.split('\n')[0]).toBe('event-sync.yaml has 1 error')
})

test.each([
  ['schedule: {cron: "* *"}', 'schedule.cron: must be five fields'],
  ['fields: {agenda: {level: " "}}', 'fields.agenda.level: must be text'],
])('the mistake in %s is reported together with mistakes in combinations of keys', (more, message) => {
  const one = `  - id: summit
    source: {type: a, url: https://a.example, eventId: "1"}
    platform: {type: jsonl}
`
  const { problems } = configErrorOf(() =>
    load(`http: {caFile: ""}
integrations:
${one}    ${more}
${one}`),
  )
  expect(problems.map(({ path, message: text }) => `${path}: ${text}`)).toEqual([
    expect.stringContaining('http.caFile: must be text'),
    expect.stringContaining(message),
    'integrations[1].id: "summit" is the id of integrations[0] too; each needs its own',
  ])
})

describe('files that are not valid YAML', () => {
  refuses([
    ['a: 1\n\tb: 2\n', 'event-sync.yaml:2: a tab is in the indentation; YAML allows only spaces there'],
    ['output: x\nhttp: {a: [1}\n', 'event-sync.yaml:2: the indentation is wrong, or a bracket is not closed'],
    [
      'output: "x\nhttp: 1\n',
      'event-sync.yaml:3: a colon with a space after it, a quotation mark, a comma or a bracket is missing',
    ],
    [
      'a: 1\n---\nb: 2\n',
      'event-sync.yaml:2: a second document begins here; one file holds one configuration',
    ],
    ['output: !env X\n', 'event-sync.yaml:1: tags (!name) are not supported; remove it'],
    [
      'cron: */4 * * * *\n',
      'event-sync.yaml:1: a value that begins with * refers to an anchor (&name) that does not exist; put quotation marks around the value',
    ],
    [
      'output: @x\n',
      'event-sync.yaml:1: a value may not begin with this character; put quotation marks around the value',
    ],
    [
      'output: "\\q"\n',
      'event-sync.yaml:1: the escape after a backslash is unknown; write two backslashes, or use single quotation marks',
    ],
  ])

  test('a repeated key is reported together with other mistakes', () => {
    expect(complaints(`${withSource('url: https://other.example')}colour: red\n`)).toStrictEqual([
      'event-sync.yaml:8: url appears twice in this mapping; keep one',
      'event-sync.yaml:9: colour: unknown key; the keys here are database, output, defaults, integrations, http, audit, worker, retention, webhook, mail, lineage, sealingKey, formerSealingKeys',
    ])
  })

  test('a repeated key is an error even if the file has no other mistake', () => {
    expect(complaints(withSource('eventId: 5'))).toStrictEqual([
      'event-sync.yaml:8: eventId appears twice in this mapping; keep one',
    ])
  })

  test('a file is refused if its aliases refer to each other so often that its size would grow exponentially', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`)
    expect(complaints(`l0: &l0 [x]\n${levels.join('\n')}\n`)).toStrictEqual([
      'event-sync.yaml:1: the aliases (*name) of this file cannot be resolved',
    ])
  })
})

describe('configuration files that are missing, unreadable or empty', () => {
  const failing = (code: string) => () => {
    throw Object.assign(new Error('fs'), { code })
  }
  test.each([
    ['ENOENT', 'conf/x.yaml does not exist; create one with `event-sync init`, or name another with -c FILE'],
    ['EISDIR', 'conf/x.yaml is a folder; name another with -c FILE'],
    ['EACCES', 'conf/x.yaml cannot be read (EACCES: permission denied); name another with -c FILE'],
  ])('the error for %s says what to do', (code, message) => {
    const error = configErrorOf(() => loadConfig('conf/x.yaml', { env: {}, readFile: failing(code) }))
    expect(error.message).toBe(message)
    expect(codeOf(error)).toBe(64)
    expect(error.cause).toMatchObject({ code })
  })

  test.each(['', '# nothing yet\n', 'null\n'])('the error for an empty file (%j) says what to do', (yaml) => {
    expect(configErrorOf(() => load(yaml)).message).toBe(
      'event-sync.yaml is empty; delete it and create one with `event-sync init`, or name another with -c FILE',
    )
  })
})
