import { describe, expect, onTestFinished, test } from 'vitest'
import { type SourceBData, startSampleSourceB } from '../../../pipeline/demo/sample-source-b.ts'
import { check, sourceB } from './check-one.ts'

type Data = SourceBData<readonly Readonly<Record<string, unknown>>[]>

const registrant = {
  first_name: 'Ada',
  last_name: 'L',
  email: 'ada@people.example',
  job_title: 'Engineer',
  company: 'Tidemark',
  bio: 'Likes maps.',
  mobile_phone: '+1 202 555 0100',
  twitter_handle: '@ada',
  reg_type_id: 20,
  session_ids: [1],
  cancelled_at: null,
}

/** An event in which every mapped field has a value. */
const event: Data = {
  sessions: [
    {
      id: 1,
      name: 'Keynote',
      description: 'About maps.',
      date: '2031-08-08',
      start_time: '09:00:00',
      end_time: '10:00:00',
      timezone: 'Europe/Berlin',
    },
  ],
  registrants: [
    { id: 1, ...registrant },
    { id: 2, ...registrant, reg_type_id: 10 },
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

/** The registrants, with these fields given other values. */
function registrants(values: Readonly<Record<string, unknown>>) {
  return event.registrants.map((one) => ({ ...one, ...values }))
}

test('an account that is set up keeps every rule', async () => {
  const checked = await checkEvent()
  expect([checked.ids('failed'), checked.ids('not checkable')]).toEqual([[], []])
  expect(checked.rule('credentials').seen).toBe('API key and authentication secret are accepted')
  expect(checked.rule('speakerType').seen).toBe('"Speaker" is one of 2')
  expect(checked.rule('speakers').seen).toBe('1 of 2 registrants have it')
  expect(checked.rule('registrants.email')).toMatchObject({
    verdict: 'ok',
    seen: 'a value in 2 of 2 registrants',
    rule: { clause: 'spec 2.7, 2.8' },
  })
})

describe('the registrant type of speakers', () => {
  test('fails where no type has the name, with the place in the account', async () => {
    const checked = await checkEvent({
      regTypes: [{ id: 10, name: 'Attendee' }],
      registrants: registrants({ reg_type_id: 10 }),
    })
    expect(checked.ids('failed')).toEqual(['speakerType'])
    expect(checked.rule('speakerType').todo).toMatch(
      /^Event Setup → Registrant Types: create a Registrant Type with the value "Speaker"/,
    )
    expect(checked.rule('speakers').verdict).toBe('not checkable')
  })

  test('fails where there are no types at all', async () => {
    const checked = await checkEvent({ regTypes: [], registrants: [] })
    expect(checked.rule('speakerType').verdict).toBe('failed')
  })

  test.each([
    ['its name in other letters', ' speaker ', 20],
    ['its id', '20', 20],
    ['its name beside the id', 'Speaker', { id: 20, value: 'Speaker' }],
    ['its name alone', 'Speaker', 'Speaker'],
  ])('is found by %s', async (_what, speakerRegistrantType, reg_type_id) => {
    const data = { registrants: registrants({ reg_type_id }) }
    const { rule } = await checkEvent(data, { speakerRegistrantType })
    expect(rule('speakerType').verdict).toBe('ok')
    expect(rule('speakers').seen).toBe('2 of 2 registrants have it')
  })

  test("is told by a registrant's own name of it, not by the list, where the two differ", async () => {
    const { rule } = await checkEvent({
      registrants: registrants({ reg_type_id: { id: 20, value: 'Press' } }),
    })
    expect(rule('speakers')).toMatchObject({
      verdict: 'not checkable',
      seen: '0 of 2 registrants have it: nobody is a speaker yet',
    })
  })

  test('is there where registrants have it, though the list of types leaves it out', async () => {
    const { rule } = await checkEvent({
      regTypes: [],
      registrants: registrants({ reg_type_id: { id: 20, value: 'Speaker' } }),
    })
    expect(rule('speakerType')).toMatchObject({
      verdict: 'ok',
      seen: '"Speaker" is not in the list of types, but registrants have it',
    })
  })

  test('may be chosen by nobody yet, which is no fault', async () => {
    const checked = await checkEvent({ registrants: registrants({ reg_type_id: 10 }) })
    expect(checked.ids('failed')).toEqual([])
    expect(checked.rule('speakers').verdict).toBe('not checkable')
  })

  test('is not looked for where speakers are not synced', async () => {
    const { findings } = await checkEvent({ regTypes: [] }, {}, { content: ['agenda', 'attendees'] })
    const ids = findings.map(({ rule }) => rule.id)
    for (const id of ['speakerType', 'speakers', 'reg_types']) expect(ids).not.toContain(id)
    expect(ids).toContain('registrants.email')
  })
})

describe('a field that never comes', () => {
  test('fails for the e-mail address, with the option that names another field', async () => {
    const checked = await checkEvent({
      registrants: registrants({ email: '', work_email: 'ada@people.example' }),
    })
    expect(checked.ids('failed')).toEqual(['registrants.email'])
    expect(checked.rule('registrants.email').todo).toContain('source.fields.email')
    const data = { registrants: registrants({ email: '', work_email: 'ada@people.example' }) }
    const mended = await checkEvent(data, { fields: { email: 'work_email' } })
    expect(mended.rule('registrants.work_email').verdict).toBe('ok')
  })

  test.each(['first_name', 'last_name'])('fails for %s', async (name) => {
    const checked = await checkEvent({ registrants: registrants({ [name]: null }) })
    expect(checked.ids('failed')).toEqual([`registrants.${name}`])
  })

  test.each(['job_title', 'company', 'bio', 'mobile_phone', 'twitter_handle', 'session_ids'])(
    'is not checkable for %s, which may be empty',
    async (name) => {
      const checked = await checkEvent({
        registrants: registrants({ [name]: name === 'session_ids' ? [] : '' }),
      })
      expect(checked.ids('failed')).toEqual([])
      expect(checked.ids('not checkable')).toEqual([`registrants.${name}`])
    },
  )

  test.each([
    ['name', ['sessions.name']],
    ['date', ['sessions.start_time', 'sessions.end_time']],
    ['start_time', ['sessions.start_time']],
  ])('fails for %s of sessions', async (name, ids) => {
    const checked = await checkEvent({ sessions: event.sessions.map((one) => ({ ...one, [name]: null })) })
    expect(checked.ids('failed')).toEqual(ids)
  })
})

describe('times, which carry no offset', () => {
  const zoneless = { sessions: event.sessions.map((one) => ({ ...one, timezone: null })) }

  test('fail where neither session nor configuration has a zone', async () => {
    const { rule } = await checkEvent(zoneless)
    expect(rule('timeZone')).toMatchObject({
      verdict: 'failed',
      seen: 'times without an offset in 1 of 1 session, and source.timeZone is not set: bad_time',
    })
    expect((await checkEvent(zoneless, { timeZone: 'Europe/Berlin' })).rule('timeZone').verdict).toBe('ok')
  })

  test('are not checkable without sessions', async () => {
    expect((await checkEvent({ sessions: [] })).rule('timeZone').verdict).toBe('not checkable')
  })
})

test('an event without sessions and registrants fails nothing: registration may not be open yet', async () => {
  const checked = await checkEvent({ sessions: [], registrants: [] })
  expect(checked.ids('failed')).toEqual([])
  expect(checked.rule('registrants')).toMatchObject({
    verdict: 'not checkable',
    seen: 'no registrants came: the event seems to have none yet',
  })
})
