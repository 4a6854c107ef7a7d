import { expect, onTestFinished, test } from 'vitest'
import { type SourceBData, startSampleSourceB } from '../../harness/sample-source/b.ts'
import { exampleB } from '../../sources/b.ts'
import { check, sourceB } from './check-one.ts'

type Data = Readonly<Record<keyof SourceBData, readonly Readonly<Record<string, unknown>>[]>>

const { sessions, registrants: registrant } = exampleB.full

/** An event in which every mapped field has a value. */
const event: Data = {
  sessions: [{ ...sessions }],
  registrants: [
    { ...registrant, id: 1, reg_type_id: 20 },
    { ...registrant, id: 2, reg_type_id: 10 },
  ],
  regTypes: [
    { id: 10, name: 'Attendee' },
    { id: 20, name: 'Speaker' },
  ],
}

async function checkEvent(
  changes: Partial<Data> = {},
  options: Readonly<Record<string, unknown>> = {},
  integration: Readonly<Record<string, unknown>> = {},
) {
  const source = await startSampleSourceB({ ...event, ...changes })
  onTestFinished(() => source.close())
  return check({ ...sourceB(source.url, options), ...integration })
}

/** Returns the registrants with the given fields replaced. */
function registrants(values: Readonly<Record<string, unknown>>) {
  return event.registrants.map((one) => ({ ...one, ...values }))
}

test('a correctly configured account passes every rule', async () => {
  const checked = await checkEvent()
  expect([checked.ids('failed'), checked.ids('not checkable')]).toEqual([[], []])
  expect(checked.rule('credentials').seen).toBe('API key and authentication secret are accepted')
  expect(checked.rule('speakerType').seen).toBe('"Speaker" is one of 2')
  expect(checked.rule('speakers').seen).toBe('1 of 2 registrants have it')
  expect(checked.rule('registrants.email')).toMatchObject({
    status: 'ok',
    seen: 'a value in 2 of 2 registrants',
    rule: { clause: 'spec 2.7, 2.8' },
  })
})

const ofAll = (values: Readonly<Record<string, unknown>>) =>
  event.sessions.map((one) => ({ ...one, ...values }))
const withOffset = (offset: string) =>
  ofAll({ date: '2031-07-04', start_time: `09:00${offset}`, end_time: `10:00${offset}`, timezone: null })
const ofType = (reg_type_id: unknown) => ({ registrants: registrants({ reg_type_id }) })
const othersMail = { registrants: registrants({ email: '', work_email: 'ada@people.example' }) }
const ofName = (text: string) => expect.stringContaining(text)
const ALL_SPEAK = { speakerType: { status: 'ok' }, speakers: { seen: '2 of 2 registrants have it' } }

/**
 * Each case has a title, changes to the event, the failed rules, the expected results by rule, and options of
 * the source.
 */
test.each<[string, Partial<Data>, readonly string[], Readonly<Record<string, object>>, object?]>([
  [
    'no registrant type of the name [spec 2.5.1]',
    { regTypes: [{ id: 10, name: 'Attendee' }], ...ofType(10) },
    ['speakerType'],
    {
      speakerType: {
        todo: ofName('Event Setup → Registrant Types: create a Registrant Type with the value "Speaker"'),
      },
      speakers: { status: 'not checkable' },
    },
  ],
  ['a type in another case', ofType(20), [], ALL_SPEAK, { speakerRegistrantType: ' speaker ' }],
  ['a type by its id', ofType('20'), [], ALL_SPEAK, { speakerRegistrantType: '20' }],
  ['a type by its name beside the id', ofType({ id: 20, value: 'Speaker' }), [], ALL_SPEAK],
  ['a type by its name alone', ofType('Speaker'), [], ALL_SPEAK],
  [
    'a registrant with a name of the type that differs from the list',
    ofType({ id: 20, value: 'Press' }),
    [],
    {
      speakers: { status: 'not checkable', seen: '0 of 2 registrants have it: nobody is a speaker yet' },
    },
  ],
  [
    'a type that registrants have, though the list leaves it out',
    { regTypes: [], ...ofType({ id: 20, value: 'Speaker' }) },
    [],
    {
      speakerType: {
        status: 'ok',
        seen: '"Speaker" is not in the list of types, but registrants have it',
      },
    },
  ],
  ['a type that nobody has chosen yet', ofType(10), [], { speakers: { status: 'not checkable' } }],
  [
    'no e-mail address',
    othersMail,
    ['registrants.email'],
    { 'registrants.email': { todo: ofName('source.fields.email') } },
  ],
  [
    'an e-mail address under another name',
    othersMail,
    [],
    { 'registrants.work_email': { status: 'ok' } },
    { fields: { email: 'work_email' } },
  ],
  [
    'sessions without a date',
    { sessions: ofAll({ date: null }) },
    ['sessions.start_time', 'sessions.end_time'],
    {},
  ],
  [
    'times without a zone',
    { sessions: ofAll({ timezone: null }) },
    ['sessions.start_time', 'sessions.end_time', 'timeZone'],
    {
      timeZone: {
        seen: 'times without an offset in 1 of 1 session, and source.timeZone is not set: bad_time',
      },
    },
  ],
  [
    'times in the configured zone',
    { sessions: ofAll({ timezone: null }) },
    [],
    { timeZone: { status: 'ok' } },
    { timeZone: 'Europe/Berlin' },
  ],
  [
    'unknown time zones [R66]',
    {
      sessions: ['CEST', 'Eastern Time', 'CEST', 'Berlin', 'ada@people.example'].flatMap((timezone) =>
        ofAll({ timezone }),
      ),
    },
    ['zones'],
    {
      zones: {
        seen: 'a time zone that is not known in 4 of 5 sessions ("CEST" 2, "Eastern Time" 1, another value 1): read in source.timeZone (Europe/Berlin), unknown_zone',
        todo: 'name IANA zones at the source, such as America/New_York',
      },
    },
    { timeZone: 'Europe/Berlin' },
  ],
  [
    'times with another offset than that of source.timeZone',
    { sessions: ['-04:00', '-04:00', '+02:00', 'Z', ''].flatMap(withOffset) },
    ['offsets'],
    {
      offsets: {
        seen: 'another offset than that of source.timeZone (Europe/Berlin) in 2 of 3 sessions with an offset: -04:00 instead of +02:00 2',
        todo: 'set source.timeZone to the time zone of the event',
      },
    },
    { timeZone: 'Europe/Berlin' },
  ],
  [
    'one time with another offset, for example of a session elsewhere',
    { sessions: ['-04:00', '+02:00', '+02:00'].flatMap(withOffset) },
    [],
    { offsets: { status: 'ok', seen: ofName('1 of 3 sessions') } },
    { timeZone: 'Europe/Berlin' },
  ],
  [
    'an event without sessions and registrants, for example before registration opens',
    { sessions: [], registrants: [] },
    [],
    {
      registrants: {
        status: 'not checkable',
        seen: 'no registrants were returned: the event seems to have none yet',
      },
      timeZone: { status: 'not checkable' },
    },
  ],
])('the check of Source B finds: %s', async (_, data, failed, found, options = {}) => {
  const checked = await checkEvent(data, { ...options })
  expect(checked.ids('failed')).toEqual(failed)
  for (const [id, result] of Object.entries(found)) expect(checked.rule(id), id).toMatchObject(result)
})

test('the registrant type is not checked if speakers are not synced', async () => {
  const { results } = await checkEvent({ regTypes: [] }, {}, { content: ['agenda', 'attendees'] })
  const ids = results.map(({ rule }) => rule.id)
  for (const id of ['speakerType', 'speakers', 'reg_types']) expect(ids).not.toContain(id)
  expect(ids).toContain('registrants.email')
})

test('a field that is always empty fails if it is required, and is not checkable if it is optional', async () => {
  const optional = ['job_title', 'company', 'bio', 'mobile_phone', 'twitter_handle', 'session_ids']
  const empty = Object.fromEntries([...optional, 'first_name', 'last_name'].map((name) => [name, '']))
  const sessions = event.sessions.map((one) => ({ ...one, name: null, start_time: null }))
  const checked = await checkEvent({ registrants: registrants(empty), sessions })
  expect(checked.ids('failed').toSorted()).toEqual([
    'registrants.first_name',
    'registrants.last_name',
    'sessions.name',
    'sessions.start_time',
  ])
  // `timeZone` is not checkable, because no time remains that needs a time zone.
  expect(checked.ids('not checkable').toSorted()).toEqual(
    [...optional.map((name) => `registrants.${name}`), 'timeZone'].toSorted(),
  )
})
