import { describe, expect, test } from 'vitest'
import { complaints, load, refuses } from './samples.ts'

/** Returns a configuration with these defaults, and with these keys in its only integration. */
const withDefaults = (defaults: string, integration = '') => `defaults: ${defaults}
integrations:
  - id: summit
    source: {eventId: 1}
    platform: {type: jsonl}
${integration}`

const ofA = 'type: a, url: https://source-a.example'
const ofB = 'type: b, url: https://source-b.example, apiKey: env:KEY, authenticationSecret: env:SECRET'

/** Loads a configuration with defaults for `source`, and returns its integration. */
function loaded(defaults: string, integration = '') {
  return load(withDefaults(`{source: {${ofA}}, ${defaults}}`, integration)).integrations[0]
}

describe('defaults', () => {
  test.each([
    ['a key that the integration does not have', 'handover: update', '', { handover: 'update' }],
    [
      'a key of a mapping that the integration has too',
      'removals: {maxShare: 0.1, minCount: 3}',
      '    removals: {maxShare: 0.3}\n',
      { removals: { maxShare: 0.3, minCount: 3 } },
    ],
    [
      'a custom field beside those of the integration, also if it is named type',
      'fields: {agenda: {type: Type, level: Level}}',
      '    fields: {agenda: {type: Kind}}\n',
      { fields: { agenda: { type: { from: 'Kind' }, level: { from: 'Level' } } } },
    ],
  ])('supply %s', (_, defaults, integration, expected) => {
    expect(loaded(defaults, integration)).toMatchObject(expected)
  })

  test('a list of an integration replaces the list in defaults, and the two lists are not merged', () => {
    expect(loaded('content: [agenda, speakers]', '    content: [attendees]\n')?.content).toEqual([
      'attendees',
    ])
  })

  test.each([
    ['a mapping', 'schedule: {cron: "0 6 * * *"}', '    schedule: null\n'],
    ['a mapping by an empty value', 'schedule: {cron: "0 6 * * *"}', '    schedule:\n'],
    ['a list', 'exclude: [{name: x, content: agenda, where: {name: a}}]', '    exclude: ~\n'],
    ['one value', 'removals: {minCount: 3}', '    removals: {minCount: null}\n'],
  ])('null in an integration switches a default off: %s', (_, defaults, integration) => {
    expect(loaded(defaults, integration)).toStrictEqual(loaded(''))
  })

  test('defaults for another type of source, platform or password mode are ignored', () => {
    const other = `  - {id: expo, source: {${ofB}, eventId: 2}, passwords: {mode: none}}\n`
    const text = withDefaults(
      `{source: {${ofA}, version: v2}, platform: {type: jsonl}, passwords: {mode: global, global: env:P}}`,
      other,
    )
    const [summit, expo] = load(text).integrations
    expect(summit).toMatchObject({ source: { version: 'v2' }, passwords: { mode: 'global' } })
    expect(expo?.source).toStrictEqual(
      load(`integrations:\n${other.replace('passwords', 'platform: {type: jsonl}, passwords')}`)
        .integrations[0]?.source,
    )
    expect(expo?.passwords).toStrictEqual({ mode: 'none', storeEncryptedPassword: false })
  })

  test('an id in defaults keeps its digits, even if it starts with zeros', () => {
    const yaml = `defaults: {source: {${ofA}, eventId: 007}}\nintegrations: [{id: summit, platform: {type: jsonl}}]`
    expect(load(yaml).integrations[0]?.source.eventId).toBe('007')
  })

  test('the loaded configuration has no key `defaults`, because its values are in the integrations', () => {
    expect(load(withDefaults(`{source: {${ofA}}}`))).not.toHaveProperty('defaults')
  })
})

describe('a mistake in defaults is reported once, with its key in defaults', () => {
  const rule = '{name: x, content: agenda, where: {name: a}}'
  const source = `source: {${ofA}}`
  const two = `  - {id: expo, source: {eventId: 2}, platform: {type: jsonl}}\n`
  refuses([
    [
      withDefaults('5').replace('eventId: 1', `eventId: 1, ${ofA}`),
      'event-sync.yaml:1: defaults: must be a mapping of keys of an integration, got 5',
    ],
    [
      withDefaults(`{id: x, ${source}}`),
      'event-sync.yaml:1: defaults.id: cannot be a default, because each integration has its own id; remove it here',
    ],
    [
      withDefaults(`{${source}, removals: {maxShare: 7}}`, two),
      'event-sync.yaml:1: defaults.removals.maxShare: must be a number from 0 to 1, got 7',
    ],
    [
      withDefaults(`{${source}, removals: {maxShare: 7}}`, '    removals: {maxShare: 0.1}\n'),
      'event-sync.yaml:1: defaults.removals.maxShare: must be a number from 0 to 1, got 7',
    ],
    [
      withDefaults(`{${source}, removal: {}}`, two),
      'event-sync.yaml:1: defaults.removal: unknown key; did you mean removals?',
    ],
    [
      withDefaults(`{${source}, schedule: null}`, two),
      'event-sync.yaml:1: defaults.schedule: has no value; give it one or remove the key',
    ],
    [
      withDefaults(`{${source}, exclude: [${rule}, ${rule}]}`, two),
      'event-sync.yaml:1: defaults.exclude[1].name: "x" is the name of exclude[0] too; each rule needs its own',
    ],
    [
      withDefaults(`{${source}, exclude: [{name: x, where: {name: a}}]}`, '    exclude: null\n'),
      'event-sync.yaml:1: defaults.exclude[0].content: is missing',
    ],
    [
      withDefaults('{source: {type: a, url: http://x.example}}', two),
      'event-sync.yaml:1: defaults.source.url: must begin with https://, or add --insecure-http to send everything unencrypted',
    ],
    [
      withDefaults(
        `{source: {type: a, url: https://source-a.example}, passwords: {mode: global, global: hunter2}}`,
        two,
      ),
      'event-sync.yaml:1: defaults.passwords.global: must be env:NAME or file:PATH, not the secret itself (not shown)',
    ],
  ])

  test('a mistake in defaults is reported with the integrations that it affects, if other integrations are not affected', () => {
    const more = [2, 3].map(
      (n) => `  - {id: b${n}, source: {${ofB}, eventId: ${n}}, platform: {type: jsonl}}\n`,
    )
    const yaml = withDefaults('{source: {version: v2}}', more.join('')).replace(
      'eventId: 1',
      `eventId: 1, ${ofA}`,
    )
    expect(complaints(yaml)).toStrictEqual([
      'event-sync.yaml:1: defaults.source.version: belongs to type: a; remove it, or use type: a (in integrations[1] and 1 more)',
    ])
  })
})

describe('a mistake in an integration is reported there', () => {
  const source = `source: {${ofA}, timeZone: UTC}`
  refuses([
    [
      withDefaults(`{${source}, removals: {maxShare: 0.1}}`, '    removals: {maxShare: 7}\n'),
      'event-sync.yaml:6: integrations[0].removals.maxShare: must be a number from 0 to 1, got 7',
    ],
    [
      withDefaults(`{${source}}`, '    schedule: null\n'),
      'event-sync.yaml:6: integrations[0].schedule: has no value; give it one or remove the key',
    ],
    [
      withDefaults(`{${source}}`).replace('eventId: 1', 'timeZone: null'),
      'event-sync.yaml:4: integrations[0].source.eventId: is missing',
    ],
    [
      withDefaults(`{${source}}`).replace('eventId: 1', 'eventId: 1, url: null'),
      'event-sync.yaml:4: integrations[0].source.url: is missing',
    ],
    [
      withDefaults(
        `{${source}, exclude: [{name: x, content: agenda, where: {name: a}}]}`,
        '    exclude: [{name: y, where: {name: a}}]\n',
      ),
      'event-sync.yaml:6: integrations[0].exclude[0].content: is missing',
    ],
  ])

  test('a missing key is reported at the integration, even if defaults have this key for another type of source', () => {
    const yaml = withDefaults(`{source: {${ofA}}}`).replace(
      'eventId: 1',
      'type: b, eventId: 1, apiKey: env:KEY, authenticationSecret: env:SECRET',
    )
    expect(complaints(yaml)).toStrictEqual(['event-sync.yaml:4: integrations[0].source.url: is missing'])
  })
})
