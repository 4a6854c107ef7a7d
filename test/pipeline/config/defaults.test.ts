import { expect, test } from 'vitest'
import { designSample, load, sourceA, sourceB } from './samples.ts'

const httpDefaults = {
  timeoutSeconds: 30,
  retryBudgetSeconds: 300,
  maxRecordBytes: 4_194_304,
  maxResponseBytes: 2_147_483_648,
  resumeMinutes: 60,
}
const integrationDefaults = {
  content: ['agenda', 'speakers', 'attendees'],
  platform: { type: 'jsonl' },
  removals: { action: 'remove', maxShare: 0.2, minCount: 5 },
  guards: { blackout: true, massUpdate: 0.5, maxQuarantined: 0, onHold: 'stop' },
}
const sourceADefaults = {
  type: 'a',
  url: 'https://source-a.example',
  version: 'v1',
  eventId: '4242',
  speakers: 'listed',
  fields: { facebook: 'Facebook', linkedin: 'LinkedIn' },
  includeHidden: false,
  includePending: false,
  oneToOneTypes: ['1:1 Meeting', '1:1 meetings', 'One-to-one meeting'],
  locationSeparator: ' - ',
}
const sourceBDefaults = {
  type: 'b',
  url: 'https://source-b.example',
  eventId: '77',
  speakerRegistrantType: 'Speaker',
  fields: { email: 'email' },
  cancelledSpeakers: 'keep',
}

test('the sample of the design is read as it is, with every default filled in', () => {
  expect(load(designSample)).toStrictEqual({
    database: 'env:DATABASE_URL',
    output: './out',
    integrations: [
      {
        ...integrationDefaults,
        id: 'summit',
        source: { ...sourceADefaults, timeZone: 'America/New_York' },
        passwords: { mode: 'global', global: 'env:ATTENDEE_PASSWORD', storeEncryptedPassword: true },
        schedule: { cron: '0 */4 * * *', timeZone: 'UTC', jitterSeconds: 300 },
      },
      {
        ...integrationDefaults,
        id: 'expo',
        source: {
          ...sourceBDefaults,
          apiKey: 'env:SOURCE_B_API_KEY',
          authenticationSecret: 'env:SOURCE_B_AUTHENTICATION_SECRET',
          timeZone: 'Europe/Berlin',
        },
      },
    ],
    http: httpDefaults,
    audit: { personalData: 'full', excel: false },
    sealingKey: 'env:EVENT_SYNC_KEY',
  })
})

test('what is left out has the documented default', () => {
  expect(load(sourceA)).toStrictEqual({
    output: './out',
    integrations: [{ ...integrationDefaults, id: 'summit', source: sourceADefaults }],
    http: httpDefaults,
    audit: { personalData: 'full', excel: false },
  })
  expect(load(sourceB).integrations[0]?.source).toStrictEqual({
    ...sourceBDefaults,
    apiKey: 'env:KEY',
    authenticationSecret: 'file:secret.txt',
  })
})

test('every option of a source, a platform and a schedule can be set', () => {
  const config = load(`integrations:
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
    removals: {action: keep}
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
audit: {personalData: masked, excel: true, signingKey: file:signing.pem}
http: {timeoutSeconds: 2.5}
sealingKey: env:SEAL
`)
  const [first, second] = config.integrations
  expect(first?.content).toStrictEqual(['speakers'])
  expect(first?.platform).toStrictEqual({
    type: 'http',
    url: 'https://platform.example/sync',
    eventId: '9',
    token: 'file:token',
    batchSize: 100,
  })
  expect(first?.schedule).toStrictEqual({ cron: '5 4 * * *', timeZone: 'UTC', jitterSeconds: 60 })
  expect(first?.passwords).toStrictEqual({ mode: 'none', storeEncryptedPassword: false })
  expect(first?.source).toStrictEqual({
    type: 'a',
    url: 'https://source-a.example/base',
    version: '2',
    eventId: 'x/y',
    speakers: 'both',
    fields: { facebook: 'FB', linkedin: 'LinkedIn' },
    sessionStatuses: ['Accepted', 'Confirmed'],
    includeHidden: true,
    includePending: true,
    oneToOneTypes: [],
    locationSeparator: ', ',
  })
  expect(second?.source).toMatchObject({
    speakerRegistrantType: '20',
    fields: { email: 'work_email' },
    cancelledSpeakers: 'exclude',
  })
  expect(second?.removals).toStrictEqual({ action: 'keep', maxShare: 0.2, minCount: 5 })
  expect(second?.guards).toMatchObject({ onHold: 'withholdRemovals', massUpdate: 1, blackout: true })
  expect(config.audit).toStrictEqual({ personalData: 'masked', excel: true, signingKey: 'file:signing.pem' })
  expect(config.http).toStrictEqual({ ...httpDefaults, timeoutSeconds: 2.5 })
})

test.each([
  ['007', '007'],
  ['99999999999999999', '99999999999999999'],
  ['"007"', '007'],
  ['1.50', '1.50'],
  ['0x1F', '0x1F'],
  ['1e3', '1e3'],
])('an event id written %s is %s, digit for digit', (written, kept) => {
  const { source } = load(sourceA.replace('4242', written)).integrations[0] ?? {}
  expect(source?.eventId).toBe(kept)
})

test('an event id that is an alias keeps the digits of its anchor', () => {
  const yaml = `${sourceA.replace('4242', '&event 007')}      version: *event\n`
  const source = load(yaml).integrations[0]?.source
  expect(source).toMatchObject({ eventId: '007', version: '007' })
  const fromNumber = `${sourceA.replace('4242', '*count')}`.replace(
    'platform:',
    'removals: {minCount: &count 007}\n    platform:',
  )
  expect(load(fromNumber).integrations[0]).toMatchObject({
    source: { eventId: '007' },
    removals: { minCount: 7 },
  })
})

test('content stands in one order, whatever the order in the file', () => {
  const config = load(sourceA.replace('platform:', 'content: [attendees, agenda]\n    platform:'))
  expect(config.integrations[0]?.content).toStrictEqual(['agenda', 'attendees'])
})

test('a configuration is frozen to its leaves', () => {
  const config = load(designSample)
  const unfrozen = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (!Object.isFrozen(value) || Object.values(value).some(unfrozen))
  expect(unfrozen(config)).toBe(false)
})

test('a byte order mark, CRLF and comments are no obstacle', () => {
  expect(load(`\uFEFF# ours\n${sourceA}`.replaceAll('\n', '\r\n'))).toStrictEqual(load(sourceA))
})
