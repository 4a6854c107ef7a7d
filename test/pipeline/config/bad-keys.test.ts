import { describe, expect, test } from 'vitest'
import {
  complaints,
  httpPlatform,
  refuses,
  sourceA,
  sourceB,
  withIntegration,
  withSource,
  withTop,
} from './samples.ts'

const unknown =
  'unknown key; the keys here are database, output, defaults, integrations, http, audit, worker, retention, webhook, mail, lineage, sealingKey, formerSealingKeys'

const noKey = '__proto__ cannot be a key; rename it or take it away'

describe('keys', () => {
  const otherType = (yaml: string, line: number, key: string, type: string) =>
    [
      yaml,
      `event-sync.yaml:${line}: integrations[0].${key}: belongs to ${type}; remove it, or use ${type}`,
    ] as const
  refuses([
    [withTop('integration: []'), 'event-sync.yaml:8: integration: unknown key; did you mean integrations?'],
    [
      withTop('output: {umask: 7}'),
      'event-sync.yaml:8: output.umask: unknown key; the keys here are folder, mode',
    ],
    [withTop('colour: red'), `event-sync.yaml:8: colour: ${unknown}`],
    [
      withSource('EVENT_ID: 4'),
      'event-sync.yaml:8: integrations[0].source.EVENT_ID: unknown key; did you mean eventId?',
    ],
    otherType(withSource('apiKey: env:KEY'), 8, 'source.apiKey', 'type: b'),
    otherType(`${sourceB}      speakers: role\n`, 10, 'source.speakers', 'type: a'),
    otherType(`${sourceB}      version: v2\n`, 10, 'source.version', 'type: a'),
    otherType(sourceA.replace('jsonl}', 'jsonl, batchSize: 5}'), 3, 'platform.batchSize', 'type: http'),
    otherType(
      withIntegration('passwords: {mode: none, global: env:P}'),
      8,
      'passwords.global',
      'mode: global',
    ),
    [withTop('__proto__: {polluted: true}'), `event-sync.yaml:8: ${noKey}`],
    [withIntegration('fields: {agenda: {a: A, "__proto__": B}}'), `event-sync.yaml:8: ${noKey}`],
    [
      withIntegration('exclude:\n      - {name: x, content: agenda, where: {name: a, "__proto__": b}}'),
      `event-sync.yaml:9: ${noKey}`,
    ],
    [withTop('"a b": 1'), `event-sync.yaml:8: ${unknown}`],
    [
      withTop('http: {retryBudgetSeconds:5}'),
      'event-sync.yaml:8: http: add a space after "retryBudgetSeconds:"',
    ],
  ])

  test('each of two unknown keys in a mapping is reported with its own line', () => {
    expect(complaints(withTop('outputs: 1\naudits: 2'))).toStrictEqual([
      'event-sync.yaml:8: outputs: unknown key; did you mean output?',
      'event-sync.yaml:9: audits: unknown key; did you mean audit?',
    ])
  })

  test('a mistake in an alias is reported with the line of the anchor to which the alias refers', () => {
    const yaml = `${sourceA}    guards: &g {massUpdate: 7}\n${sourceA.split('\n').slice(1, -1).join('\n').replace('summit', 'expo')}\n    guards: *g\n`
    expect(complaints(yaml)).toStrictEqual([
      'event-sync.yaml:8: integrations[0].guards.massUpdate: must be a number from 0 to 1, got 7',
      'event-sync.yaml:8: integrations[1].guards.massUpdate: must be a number from 0 to 1, got 7',
    ])
  })
})

describe('rules that involve several keys', () => {
  const mustStore =
    'event-sync.yaml:8: integrations[0].passwords.storeEncryptedPassword: must be true with mode: random, also if mode is left out, because people get their password only in the welcome email'
  const sealingKey = 'sealingKey: env:NAME or file:PATH of 32 bytes in base64'
  const leftOut =
    'event-sync.yaml:2: integrations[0].passwords: is missing, so each attendee would get a random password; set passwords: {storeEncryptedPassword: true}, by which the welcome email contains them'
  const sameId =
    'event-sync.yaml:8: integrations[1].id: "summit" is the id of integrations[0] too; each needs its own'
  const second = sourceA.split('\n').slice(1).join('\n')
  test.each([
    [`${sourceA}${second}`, [sameId]],
    [
      `${sourceA}webhook: {url: 'https://x.example', for: [sumit]}\n`,
      ['event-sync.yaml:8: webhook.for[0]: "sumit" is not the id of an integration'],
    ],
    [
      `${sourceA}webhook:\n  - {url: env:A, for: [summit]}\n  - {url: env:B, for: [sumit], colour: red}\nmail: {smtp: env:S, from: a@x.example, to: [b@x.example], for: [expo]}\n`,
      [
        'event-sync.yaml:10: webhook[1].for[0]: "sumit" is not the id of an integration',
        'event-sync.yaml:10: webhook[1].colour: unknown key; the keys here are url, secret, on, format, for, timeoutSeconds',
        'event-sync.yaml:11: mail.for[0]: "expo" is not the id of an integration',
      ],
    ],
    [
      `${sourceA}webhook: [{url: env:A}, {url: env:B}, {url: env:A, for: [summit], on: [finished]}]\n`,
      [
        'event-sync.yaml:8: webhook[2].url: is the address of webhook[0] too, and both are for the same integration; leave one out, or change `for`',
      ],
    ],
    [
      `${sourceA}${second}nonsense: 1\nhttp: {timeoutSeconds: fast}\n`,
      [
        sameId,
        `event-sync.yaml:14: nonsense: ${unknown}`,
        'event-sync.yaml:15: http.timeoutSeconds: must be a number from 1 to 3600, got "fast"',
      ],
    ],
    [
      httpPlatform('', null),
      [`${leftOut}; and a top-level ${sealingKey}; or set passwords: {mode: none} to send none`],
    ],
    [
      `${httpPlatform('', null)}    content: [speakers, attendees]\nsealingKey: env:K\n`,
      [`${leftOut}; or set passwords: {mode: none} to send none`],
    ],
    [
      `${httpPlatform('', null)}    passwords: {storeEncryptedPassword: true}\n`,
      [`event-sync.yaml:8: integrations[0].passwords: random passwords need a top-level ${sealingKey}`],
    ],
    [`${httpPlatform('', null)}    passwords: {}\nsealingKey: env:K\n`, [mustStore]],
    [
      httpPlatform('', 'none') +
        httpPlatform('', 'none')
          .split('\n')
          .slice(1)
          .join('\n')
          .replace('summit', 'expo')
          .replace('.example,', '.example/,'),
      [
        'event-sync.yaml:10: integrations[1].platform.eventId: "1" is the platform event of integrations[0] too; each would overwrite the other, so each needs its own',
      ],
    ],
    [
      withIntegration('passwords: {mode: random, storeEncryptedPassword: true}'),
      [`event-sync.yaml:8: integrations[0].passwords: random passwords need a top-level ${sealingKey}`],
    ],
    [`${withIntegration('passwords: {mode: random}')}sealingKey: env:K`, [mustStore]],
    [
      `${withIntegration('passwords: {mode: random, storeEncryptedPassword: false}')}sealingKey: env:K`,
      [mustStore],
    ],
    [
      withIntegration('passwords: {mode: global}'),
      ['event-sync.yaml:8: integrations[0].passwords.global: is missing; give env:NAME or file:PATH'],
    ],
    [
      withIntegration('passwords: {mode: maybe, storeEncryptedPassword: true}'),
      ['event-sync.yaml:8: integrations[0].passwords.mode: must be global, random or none'],
    ],
  ])(
    'mistake %# of keys that depend on each other is reported with its line [spec 5.1.1, spec 5.2.2, spec 5.2 p1, spec 9.2, R53, R72, R73]',
    (yaml, expected) => {
      expect(complaints(yaml)).toStrictEqual(expected)
    },
  )
})
