import { describe } from 'vitest'
import { httpPlatform, refuses, sourceA, sourceB, withIntegration, withSource, withTop } from './samples.ts'

describe('values that are refused [spec 1.1, spec 1.3, spec 2.5.3, spec 9.3]', () => {
  const url = (value: string, what: string) =>
    [
      sourceA.replace('https://source-a.example', value),
      `event-sync.yaml:6: integrations[0].source.url: ${what}`,
    ] as const
  const eventId = (value: string, what: string) =>
    [sourceA.replace('4242', value), `event-sync.yaml:7: integrations[0].source.eventId: ${what}`] as const
  const source = (line: string, what: string) =>
    [withSource(line), `event-sync.yaml:8: integrations[0].source.${what}`] as const
  const integration = (line: string, what: string) =>
    [withIntegration(line), `event-sync.yaml:8: integrations[0].${what}`] as const
  const top = (line: string, what: string) => [withTop(line), `event-sync.yaml:8: ${what}`] as const
  const missing = (line: string, what: string) =>
    [sourceB.replace(`      ${line}\n`, ''), `event-sync.yaml:4: integrations[0].source.${what}`] as const

  const reading = (keys: string, what: string) =>
    [`${sourceB}      reading: {${keys}}\n`, `event-sync.yaml:10: integrations[0].source.${what}`] as const
  const everyIs = 'reading.fullEvery: must be a whole number with m, h or d, from 1m to 31d, such as 24h, got'
  const noAddress = 'is not an http or https address (not shown)'
  const noQuery = 'must not contain a query or a fragment'
  const noText = 'must be text that is not blank and has no control characters, got'
  const fiveFields =
    'schedule.cron: must be five fields: minute, hour, day of month, month, day of week, such as 0 */4 * * *, got'
  refuses([
    url('source-a.example', noAddress),
    url('https:/x', noAddress),
    url('"https://x y"', noAddress),
    ...['htps://hooks.example/CANARY', 'https//hooks.example/CANARY', 'https:/hooks.example/CANARY'].flatMap(
      (slip) => [
        top(`webhook: {url: "${slip}", on: [failed]}`, `webhook.url: ${noAddress}`),
        top(`lineage: {to: "${slip}"}`, `lineage.to: ${noAddress}`),
      ],
    ),
    top('webhook: []', 'webhook: must have at least one webhook'),
    top(
      'webhook: env:HOOK',
      'webhook: must be a mapping of keys and values, or a list of these, got "env:HOOK"',
    ),
    top(
      'webhook: [{url: env:A, on: []}]',
      'webhook[0].on: must name at least one of held, failed, incomplete and finished',
    ),
    ...['CANARY', 'CANARY@', 'Ada <CANARY@x.example>', 'CANARY@x.example, b@x.example'].map((address) =>
      top(
        `mail: {smtp: env:S, from: a@x.example, to: ["${address}"]}`,
        'mail.to[0]: must be an e-mail address such as team@organiser.example (not shown)',
      ),
    ),
    top('mail: {smtp: env:S, from: a@x.example, to: []}', 'mail.to: must name at least one address'),
    top(
      'mail: {smtp: "smtp://u:CANARY@x", from: a@x.example, to: [b@x.example]}',
      'mail.smtp: must be env:NAME or file:PATH, not the secret itself (not shown)',
    ),
    url('5', 'must be an http or https address, got 5'),
    url('https://x/?', noQuery),
    url('https://me:CANARY@x', 'must not contain a user name or a password'),
    url('me:CANARY@x', noAddress),
    url('', 'has no value; give it one or remove the key'),
    eventId('""', `${noText} ""`),
    eventId('"4\\n2"', `${noText} "4\\n2"`),
    eventId('"\\ud800"', `${noText} "\\ud800"`),
    eventId('"4\\u0085"', `${noText} "4\u0085"`),
    eventId('.', 'must be text that is not blank, has no control characters and is not . or .., got "."'),
    eventId('..', 'must be text that is not blank, has no control characters and is not . or .., got ".."'),
    eventId('true', 'must be text or a number, got true'),
    source('timeZone: Berlin', 'timeZone: must be a time zone such as Europe/Berlin or UTC, got "Berlin"'),
    source('speakers: all', 'speakers: must be listed, role or both, got "all"'),
    source('includeHidden: "yes"', 'includeHidden: must be true or false, got "yes"'),
    source('sessionStatuses: []', 'sessionStatuses: must name at least one status; leave it out to keep all'),
    [
      sourceA.replace('type: a', 'type: c'),
      'event-sync.yaml:5: integrations[0].source.type: must be a or b, got "c"',
    ],
    [
      sourceA.replace('type: a', 'version: v1'),
      'event-sync.yaml:4: integrations[0].source.type: is missing; it must be a or b',
    ],
    missing('apiKey: env:KEY', 'apiKey: is missing; give env:NAME or file:PATH'),
    source('reading: {mode: changes}', 'reading: belongs to type: b; remove it, or use type: b'),
    reading('mode: some', 'reading.mode: must be full or changes, got "some"'),
    reading(
      'mode: full, fullEvery: 1h',
      'reading.fullEvery: belongs to mode: changes; remove it, or use mode: changes',
    ),
    ...['24', '0h', '1.5h', '32d', '44641m'].map((every) =>
      reading(`mode: changes, fullEvery: "${every}"`, `${everyIs} "${every}"`),
    ),
    ...['3:00', '24:00'].map((at) =>
      reading(
        `mode: changes, fullAt: "${at}"`,
        `reading.fullAt: must be a time of day such as 03:00, got "${at}"`,
      ),
    ),
    ...[59, 60.5].map((minutes) =>
      reading(
        `mode: changes, overlapMinutes: ${minutes}`,
        `reading.overlapMinutes: must be a whole number from 60 to 10080, got ${minutes}`,
      ),
    ),
    integration('content: []', 'content: must name at least one of agenda, speakers and attendees'),
    integration(
      'content: [agenda, sessions]',
      'content[1]: must be agenda, speakers or attendees, got "sessions"',
    ),
    [
      withIntegration('content:\n    - agenda\n    - agenda'),
      'event-sync.yaml:10: integrations[0].content[1]: "agenda" is in the list twice',
    ],
    integration('removals: {maxShare: 20}', 'removals.maxShare: must be a number from 0 to 1, got 20'),
    integration(
      'removals: {maxStatedShare: 50}',
      'removals.maxStatedShare: must be a number from 0 to 1, got 50',
    ),
    integration(
      'removals: {minCount: 1.5}',
      'removals.minCount: must be a whole number from 0 to 9007199254740991, got 1.5',
    ),
    integration('guards: {onHold: [stop]}', 'guards.onHold: must be stop or withholdRemovals, got a list'),
    integration('guards: strict', 'guards: must be a mapping of keys and values'),
    integration('schedule: {cron: "0 0 4 * * *"}', `${fiveFields} "0 0 4 * * *"`),
    integration(
      'schedule: {cron: "0 24 * * *"}',
      'schedule.cron: "0 24 * * *" is not a cron expression: Constraint error, got value 24 expected range 0-23',
    ),
    integration(
      'schedule: {cron: "0 0 30 2 *"}',
      'schedule.cron: "0 0 30 2 *" is not a cron expression: Invalid explicit day of month definition',
    ),
    integration(
      'schedule: {cron: "* * * * *", jitterSeconds: 3601}',
      'schedule.jitterSeconds: must be a whole number from 0 to 3600, got 3601',
    ),
    [
      httpPlatform(', batchSize: 0', 'none'),
      'event-sync.yaml:3: integrations[0].platform.batchSize: must be a whole number from 1 to 10000, got 0',
    ],
    top('http: {timeoutSeconds: .inf}', 'http.timeoutSeconds: must be a number from 1 to 3600, got Infinity'),
    top(
      'http: {maxRecordBytes: 0}',
      'http.maxRecordBytes: must be a whole number from 1 to 536870912, got 0',
    ),
    top('http:', 'http: has no value; give it one or remove the key'),
    top(`output: "${'\\t'.repeat(100)}"`, `output: ${noText} "${'\\t'.repeat(80)}…"`),
    top('output: 5', 'output: must be the name of a folder, or a mapping with folder and mode, got 5'),
    top('output: {mode: 640}', 'output.mode: must be private, group or public, got 640'),
    ['integrations: []', 'event-sync.yaml:1: integrations: must hold at least one integration'],
    ['# ours\n\noutput: x', 'event-sync.yaml:3: integrations: is missing'],
    ['- id: summit', 'event-sync.yaml:1: must be a mapping of keys and values'],
  ])
})
