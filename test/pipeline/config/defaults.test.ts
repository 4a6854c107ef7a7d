import { expect, test } from 'vitest'
import { designSample, everyOption, httpPlatform, load, sourceA, sourceB } from './samples.ts'

const httpDefaults = {
  timeoutSeconds: 30,
  retryBudgetSeconds: 300,
  maxRecordBytes: 4_194_304,
  maxResponseBytes: 2_147_483_648,
  maxResponseSeconds: 300,
  maxRecords: 2_000_000,
  maxBytes: 17_179_869_184,
  resumeMinutes: 60,
}
const integrationDefaults = {
  content: ['agenda', 'speakers', 'attendees'],
  platform: { type: 'jsonl' },
  removals: { action: 'remove', maxShare: 0.2, maxStatedShare: 0.5 },
  handover: 'replace',
  guards: { blackout: true, massUpdate: 0.5, maxQuarantined: 0, onHold: 'stop' },
  hints: {
    doubleBookedRooms: 'on',
    doubleBookedSpeakers: 'on',
    sessionsWithoutRoom: 'on',
    sessionsWithoutSpeaker: 'on',
    speakersWithoutSession: 'on',
  },
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
  oneToOneTypes: ['1:1 Meeting'],
  locationSeparator: ' - ',
}
const sourceBDefaults = {
  type: 'b',
  url: 'https://source-b.example',
  eventId: '77',
  speakerRegistrantType: 'Speaker',
  fields: { email: 'email' },
  cancelledSpeakers: 'keep',
  reading: { mode: 'full' },
}

test('a key that is left out has its documented default [spec 9.3]', () => {
  expect(load(sourceA)).toStrictEqual({
    output: { folder: './out', mode: 'private' },
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

test('every option of a source, a platform and a schedule can be set to another value than its default', () => {
  const config = load(everyOption)
  const [first, second] = config.integrations
  expect(first?.content).toStrictEqual(['speakers'])
  expect(first?.platform).toStrictEqual({
    type: 'http',
    url: 'https://platform.example/sync',
    eventId: '9',
    token: 'file:token',
    batchSize: 100,
    maxItems: 2_000_000,
    maxResponseBytes: 67_108_864,
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
    reading: { mode: 'changes', fullEvery: '7d', fullAt: '03:00', overlapMinutes: 60 },
  })
  expect(second?.removals).toStrictEqual({ action: 'keep', maxShare: 0.2, maxStatedShare: 0.8 })
  expect(second?.guards).toMatchObject({ onHold: 'withholdRemovals', massUpdate: 1, blackout: true })
  expect(config.audit).toStrictEqual({ personalData: 'masked', excel: true, signingKey: 'file:signing.pem' })
  expect(config.http).toStrictEqual({ ...httpDefaults, timeoutSeconds: 2.5 })
})

test.each([
  ['random, if mode is left out', 'passwords: {storeEncryptedPassword: true}', 'random'],
  ['none, if there are no attendees', 'content: [agenda, speakers]', undefined],
])('the password mode of a platform of type http is %s [spec 5.2.2, R53]', (_, line, mode) => {
  const config = load(`${httpPlatform('', null)}    ${line}\nsealingKey: env:KEY\n`)
  expect(config.integrations[0]?.passwords?.mode).toBe(mode)
})

test.each([
  ['007', '007'],
  ['99999999999999999', '99999999999999999'],
  ['"007"', '007'],
  ['1.50', '1.50'],
  ['0x1F', '0x1F'],
  ['1e3', '1e3'],
])('an event id written as %s is read as %s, digit for digit', (written, kept) => {
  const { source } = load(sourceA.replace('4242', written)).integrations[0] ?? {}
  expect(source?.eventId).toBe(kept)
})

test('an event id that is an alias keeps the digits that are written at its anchor', () => {
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

test('the contents of an integration are always in the same order, whatever their order in the file', () => {
  const config = load(sourceA.replace('platform:', 'content: [attendees, agenda]\n    platform:'))
  expect(config.integrations[0]?.content).toStrictEqual(['agenda', 'attendees'])
})

test('a configuration is frozen at every level', () => {
  const config = load(designSample)
  const unfrozen = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (!Object.isFrozen(value) || Object.values(value).some(unfrozen))
  expect(unfrozen(config)).toBe(false)
})

test('a file with a byte order mark, CRLF and comments is read like a file without them', () => {
  expect(load(`\uFEFF# ours\n${sourceA}`.replaceAll('\n', '\r\n'))).toStrictEqual(load(sourceA))
})
