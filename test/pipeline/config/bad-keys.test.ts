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

describe('keys', () => {
  refuses([
    [withTop('integration: []'), 'line 8, integration: unknown key; did you mean integrations?'],
    [
      withTop('colour: red'),
      'line 8, colour: unknown key; known here: database, output, integrations, http, audit, webhook, lineage, sealingKey',
    ],
    [
      withSource('EVENT_ID: 4'),
      'line 8, integrations[0].source.EVENT_ID: unknown key; did you mean eventId?',
    ],
    [
      withSource('apiKey: env:KEY'),
      'line 8, integrations[0].source.apiKey: belongs to type: b, which this is not',
    ],
    [
      `${sourceB}      speakers: role\n`,
      'line 10, integrations[0].source.speakers: belongs to type: a, which this is not',
    ],
    [
      `${sourceB}      version: v2\n`,
      'line 10, integrations[0].source.version: belongs to type: a, which this is not',
    ],
    [
      sourceA.replace('jsonl}', 'jsonl, batchSize: 5}'),
      'line 3, integrations[0].platform.batchSize: belongs to type: http, which this is not',
    ],
    [
      withIntegration('passwords: {mode: none, global: env:P}'),
      'line 8, integrations[0].passwords.global: belongs to mode: global, which this is not',
    ],
    [
      withTop('__proto__: {polluted: true}'),
      'line 8, __proto__: unknown key; known here: database, output, integrations, http, audit, webhook, lineage, sealingKey',
    ],
    [
      withTop('"a b": 1'),
      'line 8: unknown key; known here: database, output, integrations, http, audit, webhook, lineage, sealingKey',
    ],
    [withTop('http: {retryBudgetSeconds:5}'), 'line 8, http: a blank is due after "retryBudgetSeconds:"'],
  ])

  test('two unknown keys of one mapping each have their line', () => {
    expect(complaints(withTop('outputs: 1\naudits: 2'))).toStrictEqual([
      'line 8, outputs: unknown key; did you mean output?',
      'line 9, audits: unknown key; did you mean audit?',
    ])
  })

  test('a mistake within an alias stands where its anchor is', () => {
    const yaml = `${sourceA}    guards: &g {massUpdate: 7}\n${sourceA.split('\n').slice(1, -1).join('\n').replace('summit', 'expo')}\n    guards: *g\n`
    expect(complaints(yaml)).toStrictEqual([
      'line 8, integrations[0].guards.massUpdate: must be a number from 0 to 1, got 7',
      'line 8, integrations[1].guards.massUpdate: must be a number from 0 to 1, got 7',
    ])
  })
})

describe('rules over more than one key', () => {
  const second = sourceA.split('\n').slice(1).join('\n')
  test.each([
    [
      `${sourceA}${second}`,
      ['line 8, integrations[1].id: "summit" is the id of integrations[0] too; each needs its own'],
    ],
    [
      `${sourceA}${second}nonsense: 1\nhttp: {timeoutSeconds: fast}\n`,
      [
        'line 8, integrations[1].id: "summit" is the id of integrations[0] too; each needs its own',
        'line 14, nonsense: unknown key; known here: database, output, integrations, http, audit, webhook, lineage, sealingKey',
        'line 15, http.timeoutSeconds: must be a number from 1 to 3600, got "fast"',
      ],
    ],
    [
      httpPlatform('', null),
      [
        'line 2, integrations[0].passwords: is missing; a platform of type http needs the choice: mode: global, random or none',
      ],
    ],
    [
      withIntegration('passwords: {mode: random, storeEncryptedPassword: true}'),
      [
        'line 8, integrations[0].passwords.mode: random needs a top-level sealingKey: env:NAME or file:PATH of 32 bytes in base64',
      ],
    ],
    [
      `${withIntegration('passwords: {mode: random}')}sealingKey: env:K`,
      [
        'line 8, integrations[0].passwords.storeEncryptedPassword: must be true with mode: random, where only the welcome email tells a person the password',
      ],
    ],
    [
      `${withIntegration('passwords: {mode: random, storeEncryptedPassword: false}')}sealingKey: env:K`,
      [
        'line 8, integrations[0].passwords.storeEncryptedPassword: must be true with mode: random, where only the welcome email tells a person the password',
      ],
    ],
    [
      withIntegration('passwords: {mode: global}'),
      ['line 8, integrations[0].passwords.global: is missing; give env:NAME or file:PATH'],
    ],
    [
      withIntegration('passwords: {storeEncryptedPassword: true}'),
      ['line 8, integrations[0].passwords.mode: must be global, random or none'],
    ],
  ])('%#: a broken rule is told with its line', (yaml, expected) => {
    expect(complaints(yaml)).toStrictEqual(expected)
  })
})
