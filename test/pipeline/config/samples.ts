import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { type Config, ConfigError, loadConfig } from '../../../pipeline/config/config.ts'

/** A configuration that uses every section. */
export const designSample = `database: env:DATABASE_URL            # optional; left out: embedded, in .event-sync/db
output: ./out                         # optional
integrations:
  - id: summit                        # [a-z0-9][a-z0-9-]{0,62}
    source:
      type: a
      url: https://source-a.example
      version: v1                     # default v1
      eventId: "4242"
      timeZone: America/New_York      # used only for times that carry no offset
    content: [agenda, speakers, attendees]     # default: all three
    platform: {type: jsonl}           # or {type: http, url, eventId, token: env:…, batchSize: 100}
    removals: {action: remove, maxShare: 0.2, minCount: 5}    # or action: keep
    guards: {blackout: true, massUpdate: 0.5, maxQuarantined: 0, onHold: stop}   # or onHold: withholdRemovals
    passwords: {mode: global, global: env:ATTENDEE_PASSWORD, storeEncryptedPassword: true}
    schedule: {cron: "0 */4 * * *", timeZone: UTC}
  - id: expo
    source:
      type: b
      url: https://source-b.example
      eventId: "77"
      apiKey: env:SOURCE_B_API_KEY
      authenticationSecret: env:SOURCE_B_AUTHENTICATION_SECRET
      speakerRegistrantType: Speaker  # name or id
      timeZone: Europe/Berlin
    platform: {type: jsonl}
http: {timeoutSeconds: 30, retryBudgetSeconds: 300, maxRecordBytes: 4194304, maxResponseBytes: 2147483648, resumeMinutes: 60}
audit: {personalData: full, excel: false}     # personalData: full | masked; signingKey: file:…
sealingKey: env:EVENT_SYNC_KEY        # 32 bytes, base64; needed for random passwords
`

/**
 * A configuration that sets every option of a source, a platform and a schedule to another value than its
 * default.
 */
export const everyOption = `integrations:
  - id: a1
    content: [speakers]
    platform:
      type: http
      url: https://platform.example/sync/
      eventId: 9
      token: file:token
    passwords: {mode: none}
    schedule: {cron: 5 4 * * *, jitterSeconds: 60}
    source:
      type: a
      url: HTTPS://Source-A.example:443/base/
      version: 2
      eventId: x/y
      speakers: both
      fields: {facebook: FB}
      sessionStatuses: [Accepted, Confirmed]
      includeHidden: true
      includePending: true
      oneToOneTypes: []
      locationSeparator: ", "
  - id: b1
    platform: {type: jsonl}
    passwords: {mode: random, storeEncryptedPassword: true}
    removals: {action: keep, maxStatedShare: 0.8}
    guards: {onHold: withholdRemovals, massUpdate: 1}
    source:
      type: b
      url: https://source-b.example
      eventId: 77
      apiKey: env:KEY
      authenticationSecret: env:SECRET
      speakerRegistrantType: 20
      fields: {email: work_email}
      cancelledSpeakers: exclude
      reading: {mode: changes, fullEvery: 7d, fullAt: "03:00"}
audit: {personalData: masked, excel: true, signingKey: file:signing.pem}
output: {folder: /srv/out, mode: group}
http: {timeoutSeconds: 2.5}
sealingKey: env:SEAL
`

/** A configuration with custom fields and exclude rules of every form. */
export const ownFieldsAndRules = `integrations:
  - id: summit
    platform: {type: jsonl}
    source: {type: a, url: https://source-a.example, eventId: 4242}
    fields:
      agenda: {level: Level, credits: {from: CE.Credits, as: number}}
      attendees: {diet: Answers.Diet, topics: {from: topics, as: list}}
    exclude:
      - {name: test-people, content: attendees, where: {company: [TEST, 7], custom.diet: vegan}}
      - {name: other-tracks, content: agenda, unless: {sessionTracks: Data, name: {contains: [a]}}}
      - {name: both, content: [speakers, attendees], where: {company: {missing: true}, uniqueId: {endsWith: x}}}
`

/**
 * A configuration with defaults, with integrations that use them or switch them off, and with names of files.
 */
export const customers = `defaults:
  source: {type: a, url: https://source-a.example, timeZone: Europe/Berlin, fields: {facebook: FB}}
  platform: {type: jsonl}
  content: [agenda]
  fields: {agenda: {level: Level}}
  exclude: [{name: drafts, content: agenda, where: {name: {startsWith: "[draft]"}}}]
  removals: {maxShare: 0.1, minCount: 4}
  schedule: {cron: "0 6 * * *", timeZone: Europe/Berlin}
integrations:
  - {id: takes-all, source: {eventId: 1}}
  - {id: takes-less, source: {eventId: 2, timeZone: null}, removals: {maxShare: 0.3}, schedule: null}
  - ./customers/*.yaml
`

/**
 * The smallest valid configuration; tests add or replace lines. A test can add another key of the source at
 * line 6.
 */
export const sourceA = `integrations:
  - id: summit
    platform: {type: jsonl}
    source:
      type: a
      url: https://source-a.example
      eventId: 4242
`

export const sourceB = `integrations:
  - id: expo
    platform: {type: jsonl}
    source:
      type: b
      url: https://source-b.example
      eventId: 77
      apiKey: env:KEY
      authenticationSecret: file:secret.txt
`

/** Loads a configuration from its text. */
export function load(yaml: string): Config {
  return loadConfig('event-sync.yaml', { env: {}, readFile: () => yaml })
}

/**
 * Loads event-sync.yaml and the files next to it. A glob (a pattern such as `customers/*.yaml`) matches all
 * files of its folder.
 */
export function loadFiles(files: Readonly<Record<string, string>>): Config {
  const readFile = (path: string) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error('fs'), { code: 'ENOENT' })
    return text
  }
  const findFiles = (glob: string) => Object.keys(files).filter((path) => matchesGlob(path, glob))
  return loadConfig('event-sync.yaml', { env: {}, readFile, findFiles })
}

/** Returns the ConfigError that a function throws. */
export function configErrorOf(call: () => unknown): ConfigError {
  try {
    call()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('it was accepted')
}

/** Returns the mistakes of a ConfigError, each as `file:line: path: message`, without the column. */
export function complaintsOf(error: ConfigError): string[] {
  const lines = error.message.split('\n').slice(1, -1)
  return lines.map((line) => line.trim().replace(/^(\S+:\d+):\d+: /, '$1: '))
}

export function complaints(yaml: string): string[] {
  return complaintsOf(configErrorOf(() => load(yaml)))
}

/** Returns a configuration with Source A and one more line below `source`. */
export const withSource = (line: string): string => `${sourceA}      ${line}\n`
export const withIntegration = (line: string): string => `${sourceA}    ${line}\n`
export const withTop = (line: string): string => `${sourceA}${line}\n`

/** Returns a configuration with a platform of type http. The keys in `more` are added to the platform. */
export const httpPlatform = (more: string, mode: string | null): string =>
  sourceA.replace('{type: jsonl}', `{type: http, url: https://p.example, eventId: 1, token: env:T${more}}`) +
  (mode === null ? '' : `    passwords: {mode: ${mode}}\n`)

/** Defines one test for each file. The loader must refuse the file with exactly this message. */
export function refuses(cases: readonly (readonly [yaml: string, complaint: string])[]): void {
  for (const [yaml, complaint] of cases) {
    test(complaint, () => {
      expect(complaints(yaml)).toStrictEqual([complaint])
    })
  }
}
