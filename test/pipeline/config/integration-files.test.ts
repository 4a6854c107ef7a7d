import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../pipeline/config/config.ts'
import { complaintsOf, configErrorOf, loadFiles } from './samples.ts'

const acme = (more = '') => `id: acme
source: {type: a, url: https://source-a.example, eventId: 1${more}}
platform: {type: jsonl}
`
const expo = acme().replace('acme', 'expo')
const asList = (...files: readonly string[]) =>
  files.map((file) => `- ${file.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')
const inline = `{id: own, source: {type: a, url: https://source-a.example, eventId: 9}, platform: {type: jsonl}}`

const ids = (files: Readonly<Record<string, string>>) => loadFiles(files).integrations.map(({ id }) => id)
const complaints = (files: Readonly<Record<string, string>>) =>
  complaintsOf(configErrorOf(() => loadFiles(files)))

test('a glob in a folder that cannot be read names the folder, although globs treat it as empty', () => {
  const readFile = (path: string) => {
    if (path === 'event-sync.yaml') return 'integrations: ./customers/a/*.yaml\n'
    throw Object.assign(new Error('too many links'), { code: 'ELOOP', path })
  }
  const load = () => loadConfig('event-sync.yaml', { env: {}, readFile, findFiles: () => [] })
  expect(complaintsOf(configErrorOf(load))).toEqual([
    'event-sync.yaml:1: integrations: the files of "./customers/a/*.yaml" cannot be found (ELOOP: too many symbolic links encountered: the symbolic links of customers/a lead in a circle; correct the links)',
  ])
})

describe('integrations from files', () => {
  const files = {
    'customers/b.yaml': expo,
    'customers/a.yaml': asList(acme(), acme().replace('acme', 'acme-2')),
  }
  test.each([
    ['a glob', 'customers/*.yaml', ['acme', 'acme-2', 'expo']],
    ['a file', 'customers/b.yaml', ['expo']],
    ['a glob that matches event-sync.yaml too', "'{*,customers/b}.yaml'", ['expo']],
    ['a list', `[customers/b.yaml, ${inline}, customers/a.yaml]`, ['expo', 'own', 'acme', 'acme-2']],
    [
      'two globs that match the same file',
      '[customers/b.yaml, customers/*.yaml]',
      ['expo', 'acme', 'acme-2'],
    ],
  ])(
    'the integrations are those in the files that %s names, sorted by the file names',
    (_, integrations, expected) => {
      expect(ids({ ...files, 'event-sync.yaml': `integrations: ${integrations}\n` })).toEqual(expected)
    },
  )

  test('integrations in files use the defaults of event-sync.yaml', () => {
    const main = 'defaults: {handover: update, platform: {type: jsonl}}\nintegrations: customers/*.yaml\n'
    const customer = acme().replace('platform: {type: jsonl}\n', '')
    const { integrations } = loadFiles({ 'event-sync.yaml': main, 'customers/a.yaml': customer })
    expect(integrations[0]).toMatchObject({ handover: 'update', platform: { type: 'jsonl' } })
  })

  test('paths in a file with integrations are relative to the folder of this file', () => {
    const customer = `id: acme
source:
  type: a
  url: https://source-a.example
  eventId: file:1
  auth: {type: bearer, token: file:keys/token}
platform: {type: http, url: https://p.example, eventId: 1, token: file:../shared}
passwords: {mode: global, global: file:/run/secrets/password}
exclude: [{name: x, content: agenda, where: {name: "file:x"}}]
`
    const [one] = loadFiles({
      'event-sync.yaml': 'integrations: customers/*.yaml\n',
      'customers/acme.yaml': customer,
    }).integrations
    expect(one).toMatchObject({
      source: { auth: { token: 'file:customers/keys/token' } },
      platform: { token: 'file:shared' },
      passwords: { global: 'file:/run/secrets/password' },
      exclude: [{ fields: { name: { values: ['file:x'] } } }],
    })
  })
})

describe('mistakes in files with integrations', () => {
  const main = 'integrations: customers/*.yaml\n'
  const broken = (...customers: readonly string[]) =>
    complaints(
      Object.fromEntries([
        ['event-sync.yaml', main],
        ...customers.map((text, index) => [`customers/${index + 1}.yaml`, text]),
      ]),
    )

  test('mistakes in files with integrations are reported with the file, the line and the key in this file', () => {
    const error = configErrorOf(() =>
      loadFiles({
        'event-sync.yaml': `http: {timeoutSeconds: fast}\n${main}`,
        'customers/a.yaml': `${acme()}colour: red\n`,
        'customers/b.yaml': asList(
          expo,
          `${acme(', eventID: 2').replace('acme', 'acme-2')}removals: {maxShare: 7}`,
        ),
      }),
    )
    expect(error.message).toBe(`the configuration has 4 errors in 3 files
  event-sync.yaml:1:8: http.timeoutSeconds: must be a number from 1 to 3600, got "fast"
  customers/a.yaml:4:1: colour: unknown key; the keys here are id, name, source, content, fields, exclude, platform, removals, handover, guards, hints, passwords, schedule
  customers/b.yaml:5:64: [1].source.eventID: unknown key; did you mean eventId?
  customers/b.yaml:7:14: [1].removals.maxShare: must be a number from 0 to 1, got 7
nothing was read or written; fix the files and run again`)
  })

  test('if all mistakes are in one file with integrations, the error names this file', () => {
    const error = configErrorOf(() =>
      loadFiles({ 'event-sync.yaml': main, 'customers/a.yaml': `${acme()}colour: red\n` }),
    )
    expect(error.message).toMatch(/^customers\/a\.yaml has 1 error\n[\s\S]*fix the file and run again$/)
  })

  test.each([
    [
      'a glob that matches nothing',
      { 'event-sync.yaml': `integrations: [${inline}, ./customer/*.yaml]` },
      [
        'event-sync.yaml:1: integrations[1]: "./customer/*.yaml" matches no file; correct the path, which starts at the folder of this file',
      ],
    ],
    [
      'an id of two files',
      { 'event-sync.yaml': main, 'customers/a.yaml': acme(), 'customers/b.yaml': asList(expo, acme()) },
      ['customers/b.yaml:4: [1].id: "acme" is the id of customers/a.yaml:1 too; each needs its own'],
    ],
    [
      'an id of a file and of event-sync.yaml',
      {
        'event-sync.yaml': `integrations: [customers/a.yaml, ${inline}]`,
        'customers/a.yaml': asList(expo, acme().replace('acme', 'own')),
      },
      [
        'event-sync.yaml:1: integrations[1].id: "own" is the id of customers/a.yaml:4 too; each needs its own',
      ],
    ],
    [
      'a name of a file in a file',
      { 'event-sync.yaml': main, 'customers/a.yaml': '[other.yaml]' },
      ['customers/a.yaml:1: [0]: must be a mapping of keys and values'],
    ],
  ])('a mistake in a file with integrations is reported: %s', (_, files, expected) => {
    expect(complaints(files as Readonly<Record<string, string>>)).toStrictEqual(expected)
  })

  test('files with integrations that are empty or not YAML are reported all at once', () => {
    expect(broken('a: [1', '', '# nothing\n', '[]', acme())).toStrictEqual([
      'customers/1.yaml:1: the indentation is wrong, or a bracket is not closed',
      ...[2, 3, 4].map(
        (n) => `customers/${n}.yaml:1: this file holds no integration; write one, or delete the file`,
      ),
    ])
  })

  test('errors about files with integrations never show a secret', () => {
    const text = asList(
      acme(', auth: {type: bearer, token: canary}'),
      acme(', auth: {type: bearer, token:canary}').replace('acme', 'expo'),
    )
    const found = broken(text).join('\n')
    expect(found).not.toContain('canary')
    expect(found).toContain('customers/1.yaml:5: [1].source.auth: add a space after "token:"')
  })

  test.each([
    ['EISDIR', 'conf/a is a folder'],
    ['EACCES', 'conf/a cannot be read (EACCES: permission denied)'],
  ])(
    'if a file with integrations cannot be read (%s), the error has its path from the working directory',
    (code, what) => {
      const readFile = (path: string) => {
        if (path === 'conf/event-sync.yaml') return 'integrations: "*"'
        throw Object.assign(new Error('fs'), { code })
      }
      const load = () => loadConfig('conf/event-sync.yaml', { env: {}, readFile, findFiles: () => ['a'] })
      expect(configErrorOf(load)).toMatchObject({
        message: `${what}; \`integrations\` of conf/event-sync.yaml must name only files that can be read`,
        cause: { code },
      })
    },
  )
})
