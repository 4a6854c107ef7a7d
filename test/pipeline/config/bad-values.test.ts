import { describe } from 'vitest'
import { httpPlatform, refuses, sourceA, sourceB, withIntegration, withSource, withTop } from './samples.ts'

describe('values', () => {
  const url = (value: string) => sourceA.replace('https://source-a.example', value)
  refuses([
    [
      url('source-a.example'),
      'line 6, integrations[0].source.url: "source-a.example" is not an http or https address',
    ],
    [url('https://'), 'line 6, integrations[0].source.url: "https://" is not an http or https address'],
    [url('https:/x'), 'line 6, integrations[0].source.url: "https:/x" is not an http or https address'],
    [
      url('"https://x y"'),
      'line 6, integrations[0].source.url: "https://x y" is not an http or https address',
    ],
    [url('5'), 'line 6, integrations[0].source.url: must be an http or https address, got 5'],
    [url('https://x/#top'), 'line 6, integrations[0].source.url: must not carry a query or a fragment'],
    [url('https://x/?'), 'line 6, integrations[0].source.url: must not carry a query or a fragment'],
    [
      url('https://me:CANARY@x'),
      'line 6, integrations[0].source.url: must not carry a user name or a password',
    ],
    [url('me:CANARY@x'), 'line 6, integrations[0].source.url: is not an http or https address'],
    [url(''), 'line 6, integrations[0].source.url: has no value; give it one or take the key away'],
    [
      sourceA.replace('4242', '""'),
      'line 7, integrations[0].source.eventId: must be text that is not blank and has no control characters, got ""',
    ],
    [
      sourceA.replace('4242', '"4\\n2"'),
      'line 7, integrations[0].source.eventId: must be text that is not blank and has no control characters, got "4\\n2"',
    ],
    [
      sourceA.replace('4242', '"\\ud800"'),
      'line 7, integrations[0].source.eventId: must be text that is not blank and has no control characters, got "\\ud800"',
    ],
    [
      sourceA.replace('4242', '"\\t\\ud800"'),
      'line 7, integrations[0].source.eventId: must be text that is not blank and has no control characters, got "\\t\\ud800"',
    ],
    [
      sourceA.replace('4242', '..'),
      'line 7, integrations[0].source.eventId: must be text that is not blank, has no control characters and is not . or .., got ".."',
    ],
    [
      sourceA.replace('4242', 'true'),
      'line 7, integrations[0].source.eventId: must be text or a number, got true',
    ],
    [
      withSource('version: " "'),
      'line 8, integrations[0].source.version: must be text that is not blank and has no control characters, got " "',
    ],
    [
      withSource('timeZone: Berlin'),
      'line 8, integrations[0].source.timeZone: must be a time zone such as Europe/Berlin or UTC, got "Berlin"',
    ],
    [
      withSource('speakers: all'),
      'line 8, integrations[0].source.speakers: must be listed, role or both, got "all"',
    ],
    [
      withSource('includeHidden: "yes"'),
      'line 8, integrations[0].source.includeHidden: must be true or false, got "yes"',
    ],
    [
      withSource('sessionStatuses: []'),
      'line 8, integrations[0].source.sessionStatuses: must name at least one status; leave it out to keep all',
    ],
    [
      withSource('oneToOneTypes: [Meeting, 1]'),
      'line 8, integrations[0].source.oneToOneTypes[1]: must be text that is not blank and has no control characters, got 1',
    ],
    [
      withSource('fields: {facebook: ""}'),
      'line 8, integrations[0].source.fields.facebook: must be text that is not blank and has no control characters, got ""',
    ],
    [sourceA.replace('type: a', 'type: c'), 'line 5, integrations[0].source.type: must be a or b, got "c"'],
    [
      sourceA.replace('type: a', 'version: v1'),
      'line 4, integrations[0].source.type: is missing; it must be a or b',
    ],
    [
      sourceB.replace('      apiKey: env:KEY\n', ''),
      'line 4, integrations[0].source.apiKey: is missing; give env:NAME or file:PATH',
    ],
    [
      sourceB.replace('      authenticationSecret: file:secret.txt\n', ''),
      'line 4, integrations[0].source.authenticationSecret: is missing; give env:NAME or file:PATH',
    ],
    [sourceB.replace('      eventId: 77\n', ''), 'line 4, integrations[0].source.eventId: is missing'],
    [
      withIntegration('content: []'),
      'line 8, integrations[0].content: must name at least one of agenda, speakers and attendees',
    ],
    [withIntegration('content: agenda'), 'line 8, integrations[0].content: must be a list, got "agenda"'],
    [
      withIntegration('content: [agenda, sessions]'),
      'line 8, integrations[0].content[1]: must be agenda, speakers or attendees, got "sessions"',
    ],
    [
      withIntegration('content:\n    - agenda\n    - agenda'),
      'line 10, integrations[0].content[1]: "agenda" is in the list twice',
    ],
    [
      withIntegration('removals: {maxShare: 20}'),
      'line 8, integrations[0].removals.maxShare: must be a number from 0 to 1, got 20',
    ],
    [
      withIntegration('removals: {minCount: 1.5}'),
      'line 8, integrations[0].removals.minCount: must be a whole number from 0 to 9007199254740991, got 1.5',
    ],
    [
      withIntegration('removals: {action: delete}'),
      'line 8, integrations[0].removals.action: must be remove or keep, got "delete"',
    ],
    [
      withIntegration('guards: {onHold: [stop]}'),
      'line 8, integrations[0].guards.onHold: must be stop or withholdRemovals, got a list',
    ],
    [
      withIntegration('guards: strict'),
      'line 8, integrations[0].guards: must be a mapping of keys and values',
    ],
    [
      withIntegration('schedule: {cron: ""}'),
      'line 8, integrations[0].schedule.cron: must be five fields: minute, hour, day of month, month, day of week, such as 0 */4 * * *, got ""',
    ],
    [
      withIntegration('schedule: {cron: "0 0 4 * * *"}'),
      'line 8, integrations[0].schedule.cron: must be five fields: minute, hour, day of month, month, day of week, such as 0 */4 * * *, got "0 0 4 * * *"',
    ],
    [
      withIntegration('schedule: {cron: "0 24 * * *"}'),
      'line 8, integrations[0].schedule.cron: "0 24 * * *" is no cron expression: Constraint error, got value 24 expected range 0-23',
    ],
    [
      withIntegration('schedule: {cron: "0 0 30 2 *"}'),
      'line 8, integrations[0].schedule.cron: "0 0 30 2 *" is no cron expression: Invalid explicit day of month definition',
    ],
    [
      withIntegration('schedule: {cron: "* * * * *", jitterSeconds: 3601}'),
      'line 8, integrations[0].schedule.jitterSeconds: must be a whole number from 0 to 3600, got 3601',
    ],
    [
      withIntegration('schedule: {cron: "* * * * *", timeZone: Mars/Olympus}'),
      'line 8, integrations[0].schedule.timeZone: must be a time zone such as Europe/Berlin or UTC, got "Mars/Olympus"',
    ],
    [
      httpPlatform(', batchSize: 0', 'none'),
      'line 3, integrations[0].platform.batchSize: must be a whole number from 1 to 10000, got 0',
    ],
    [
      withTop('http: {timeoutSeconds: .inf}'),
      'line 8, http.timeoutSeconds: must be a number from 1 to 3600, got Infinity',
    ],
    [
      withTop('http: {maxRecordBytes: 0}'),
      'line 8, http.maxRecordBytes: must be a whole number from 1 to 536870912, got 0',
    ],
    [withTop('http:'), 'line 8, http: has no value; give it one or take the key away'],
    [
      withTop('audit: {personalData: none}'),
      'line 8, audit.personalData: must be full or masked, got "none"',
    ],
    [
      withTop(`output: "${'\\t'.repeat(100)}"`),
      `line 8, output: must be text that is not blank and has no control characters, got "${'\\t'.repeat(80)}…"`,
    ],
    ['integrations: []', 'line 1, integrations: must hold at least one integration'],
    ['# ours\n\noutput: x', 'line 3, integrations: is missing'],
    ['- id: summit', 'line 1: must be a mapping of keys and values'],
  ])
})
