import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTimeOfA, readTimesOfA, readTimesOfB, type Time } from '../../../transforms/rules/times.ts'
import type { Json, Warning } from '../../../transforms/rules/values.ts'

const read = (instant: string, ...warnings: readonly Warning[]): Time => ({
  status: 'read',
  instant,
  warnings,
})
const skipped = (instant: string): Time => read(instant, 'skipped_time')
const ambiguous = (instant: string): Time => ({ status: 'ambiguous', instant, warnings: [] })
const unreadable: Time = { status: 'unreadable', warnings: [] }
const absent: Time = { status: 'absent', warnings: [] }
const noText: Time = { status: 'absent', warnings: ['not_text'] }

describe('a time of Source A as a text [R4, R66]', () => {
  test.each<[name: string, text: string, instant: string]>([
    ['with Z', '2031-05-04T16:00:00Z', '2031-05-04T16:00:00Z'],
    ['with an offset west', '2031-05-04T09:00:00-07:00', '2031-05-04T16:00:00Z'],
    ['with an offset without colon', '2031-05-04T09:00:00-0730', '2031-05-04T16:30:00Z'],
    ['with the largest offset', '2031-05-04T23:59:00+23:59', '2031-05-04T00:00:00Z'],
    ['with a blank for the T', '2031-05-04 16:00:00Z', '2031-05-04T16:00:00Z'],
    ['without seconds', '2031-05-04T16:00Z', '2031-05-04T16:00:00Z'],
    ['with a fraction, which is dropped', '2031-05-04T16:00:59.9999999Z', '2031-05-04T16:00:59Z'],
    ['without offset, in summer', '2031-05-04T09:00:00', '2031-05-04T13:00:00Z'],
    ['on a leap day', '2032-02-29T00:00:00Z', '2032-02-29T00:00:00Z'],
    ['on a leap day of a year divisible by 400', '2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
    ['in the first possible second', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['in the last second there is', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['in a year below 100', '0099-06-01T12:00:00Z', '0099-06-01T12:00:00Z'],
    ['before standard time, when New York was 4:56:02 behind', '1850-01-01T00:00:00', '1850-01-01T04:56:02Z'],
  ])('is read %s', (_, text, instant) => {
    expect(readTimeOfA(text, 'America/New_York')).toEqual(read(instant))
  })

  test.each<[name: string, text: string]>([
    ['a small t', '2031-05-04t16:00:00Z'],
    ['no separator', '2031-05-0416:00:00Z'],
    ['a date alone', '2031-05-04'],
    ['no minutes', '2031-05-04T16Z'],
    ['an hour of one digit', '2031-05-04T9:00:00Z'],
    ['a year of five digits', '12031-05-04T09:00:00Z'],
    ['a fraction without digits', '2031-05-04T16:00:00.Z'],
    ['24:00', '2031-05-04T24:00:00Z'],
    ['minute 60', '2031-05-04T16:60:00Z'],
    ['second 60', '2031-12-31T23:59:60Z'],
    ['month 13', '2031-13-04T16:00:00Z'],
    ['month 0', '2031-00-04T16:00:00Z'],
    ['day 0', '2031-05-00T16:00:00Z'],
    ['February 29 of a common year', '2031-02-29T16:00:00Z'],
    ['February 29 of 2100', '2100-02-29T16:00:00Z'],
    ['April 31', '2031-04-31T16:00:00Z'],
    ['an offset of hours alone', '2031-05-04T16:00:00+02'],
    ['an offset of 24 hours', '2031-05-04T16:00:00+24:00'],
    ['an offset of 60 minutes', '2031-05-04T16:00:00+01:60'],
    ['an offset with a typographic minus [R66]', '2031-05-04T16:00:00\u221202:00'],
    ['digits of another script', '２０３１-05-04T16:00:00Z'],
    ['an instant before the year 1', '0001-01-01T00:00:00+00:01'],
    ['an instant after the year 9999', '9999-12-31T23:59:59-00:01'],
    ['a local time whose instant is after the year 9999', '9999-12-31T23:00:00'],
  ])('is unreadable with %s', (_, text) => {
    expect(readTimeOfA(text, 'America/New_York')).toEqual(unreadable)
  })

  test.each<[name: string, value: Json | undefined, time: Time]>([
    ['a missing value is absent', undefined, absent],
    ['a blank text is absent', ' ', absent],
    ['a boolean is absent and marked as not a text', true, noText],
    ['a number is present but not a time', 1935676800, unreadable],
    [
      'a cleaned text is marked',
      '2031-05-04\0T16:00:00Z',
      read('2031-05-04T16:00:00Z', 'unsupported_character'),
    ],
    [
      'a cleaned text that is no time is marked',
      'x\0',
      { status: 'unreadable', warnings: ['unsupported_character'] },
    ],
  ])('%s', (_, value, time) => {
    expect(readTimeOfA(value, 'America/New_York')).toEqual(time)
  })

  test('without a time zone, a time without an offset is unreadable, but a time with an offset is readable', () => {
    expect(readTimeOfA('2031-05-04T09:00:00', null)).toEqual(unreadable)
    expect(readTimeOfA('2031-05-04T09:00:00Z', null)).toEqual(read('2031-05-04T09:00:00Z'))
  })

  test('a time with any offset is read as the same instant', () => {
    const seconds = fc.integer({ min: -62_135_596_800 + 86_400, max: 253_402_300_799 - 86_400 })
    const minutes = fc.integer({ min: -1439, max: 1439 })
    fc.assert(
      fc.property(seconds, minutes, (instantSeconds, offset) => {
        const local = new Date((instantSeconds + offset * 60) * 1000).toISOString().slice(0, 19)
        const hours = String(Math.trunc(Math.abs(offset) / 60)).padStart(2, '0')
        const text = `${local}${offset < 0 ? '-' : '+'}${hours}:${String(Math.abs(offset) % 60).padStart(2, '0')}`
        const instant = `${new Date(instantSeconds * 1000).toISOString().slice(0, 19)}Z`
        expect(readTimeOfA(text, null)).toEqual(read(instant))
      }),
    )
  })
})

const NEW_YORK = 'America/New_York'

describe('a local time at a clock change [R40, R66]', () => {
  test.each<[name: string, text: string, zone: string, time: Time]>([
    ['New York in the gap, first second', '2024-03-10T02:00:00', NEW_YORK, skipped('2024-03-10T07:00:00Z')],
    ['New York in the gap, last second', '2024-03-10T02:59:59', NEW_YORK, skipped('2024-03-10T07:59:59Z')],
    ['New York after the gap', '2024-03-10T03:00:00', NEW_YORK, read('2024-03-10T07:00:00Z')],
    [
      'New York in the hour that comes twice, first second',
      '2024-11-03T01:00:00',
      NEW_YORK,
      ambiguous('2024-11-03T05:00:00Z'),
    ],
    [
      'New York after the hour that comes twice',
      '2024-11-03T02:00:00',
      NEW_YORK,
      read('2024-11-03T07:00:00Z'),
    ],
    [
      'Lord Howe, whose gap has half an hour',
      '2024-10-06T02:15:00',
      'Australia/Lord_Howe',
      skipped('2024-10-05T15:45:00Z'),
    ],
    ['Lord Howe after its gap', '2024-10-06T02:30:00', 'Australia/Lord_Howe', read('2024-10-05T15:30:00Z')],
    ['Apia on the day it left out', '2011-12-30T12:00:00', 'Pacific/Apia', skipped('2011-12-30T22:00:00Z')],
    ['Havana, which skips midnight', '2024-03-10T00:30', 'America/Havana', skipped('2024-03-10T05:30:00Z')],
  ])('%s', (_, text, zone, time) => {
    expect(readTimeOfA(text, zone)).toEqual(time)
  })

  test('a time with an offset always is one instant, even when clocks change', () => {
    expect(readTimeOfA('2024-11-03T01:30:00-05:00', NEW_YORK)).toEqual(read('2024-11-03T06:30:00Z'))
    expect(readTimeOfA('2024-03-10T02:30:00-05:00', NEW_YORK)).toEqual(read('2024-03-10T07:30:00Z'))
  })
})

describe('a time slot of Source A at a clock change [R39, R40]', () => {
  const utc = '2024-11-03T06:40:00Z'
  test.each<[name: string, start: Json, end: Json, endTime: Time]>([
    [
      'for an end that clocks show twice, the earlier instant counts',
      '2024-11-03T00:30',
      '2024-11-03T01:15',
      ambiguous('2024-11-03T05:15:00Z'),
    ],
    [
      'or the later one, if the earlier is before the start',
      '2024-11-03T01:30',
      '2024-11-03T01:15',
      ambiguous('2024-11-03T06:15:00Z'),
    ],
    [
      'also after a start that gives UTC',
      { UTC: utc },
      { EventTime: '2024-11-03T01:50' },
      ambiguous('2024-11-03T06:50:00Z'),
    ],
    ['no day is added', '2024-11-02T01:30', '2024-11-02T01:15', read('2024-11-02T05:15:00Z')],
    [
      'an end at the moment of the change in spring is an ordinary one',
      '2024-03-10T01:00',
      '2024-03-10T02:00',
      read('2024-03-10T07:00:00Z'),
    ],
    ['a later one is skipped', '2024-03-10T01:00', '2024-03-10T02:01', skipped('2024-03-10T07:01:00Z')],
    [
      'a start that cannot be read decides nothing',
      'soon',
      '2024-11-03T01:15',
      ambiguous('2024-11-03T05:15:00Z'),
    ],
  ])('%s', (_, start, end, endTime) => {
    expect(readTimesOfA(start, end, NEW_YORK).end).toEqual(endTime)
  })
})

describe('a time of Source A as an object [R4, R66]', () => {
  const utc = '2031-05-04T16:00:00Z'

  test.each<[name: string, value: Json, time: Time]>([
    [
      'an EventTime with offset is chosen',
      { UTC: utc, EventTime: '2031-05-04T10:00:00-07:00' },
      read('2031-05-04T17:00:00Z'),
    ],
    ['the year at the end of a date is not an offset', { UTC: utc, EventTime: '04-05-2031' }, read(utc)],
    [
      'an EventTime without offset gives way to UTC',
      { UTC: utc, EventTime: '2031-05-04T10:00:00' },
      read(utc),
    ],
    ['an EventTime of a date alone has no offset', { UTC: utc, EventTime: '2031-05-04' }, read(utc)],
    ['a UTC without offset is UTC all the same', { UTC: '2031-05-04 16:00' }, read(utc)],
    ['an EventTime without offset alone is local', { EventTime: '2031-05-04T12:00:00' }, read(utc)],
    [
      'an EventTime alone may be ambiguous',
      { EventTime: '2024-11-03T01:30:00' },
      ambiguous('2024-11-03T05:30:00Z'),
    ],
    [
      'keys match in any case',
      { utc: '2031-05-04T00:00:00Z', EVENTTIME: '2031-05-04T09:00:00-07:00' },
      read(utc),
    ],
    [
      'of two spellings the first with a value counts',
      { eventTime: null, EventTime: utc, EVENTTIME: '2031-05-04T00:00Z' },
      read(utc),
    ],
    [
      'a chosen EventTime that cannot be read is not replaced',
      { UTC: utc, EventTime: '2031-02-30T10:00:00-07:00' },
      unreadable,
    ],
    [
      'a chosen UTC that cannot be read is not replaced',
      { UTC: '2031-05-04T24:00:00Z', EventTime: '2031-05-04T12:00:00' },
      unreadable,
    ],
    ['an object of nulls is absent', { UTC: null, EventTime: '' }, absent],
    ['an EventTime that is no text counts as absent', { UTC: utc, EventTime: true }, read(utc, 'not_text')],
    ['an object of no texts is absent', { UTC: [], EventTime: {} }, noText],
    [
      'a UTC that is no text leaves the EventTime',
      { UTC: false, EventTime: '2031-05-04T12:00:00' },
      read(utc, 'not_text'),
    ],
    ['a UTC that is not looked at gives no mark', { UTC: false, EventTime: utc }, read(utc)],
  ])('%s', (_, value, time) => {
    expect(readTimeOfA(value, 'America/New_York')).toEqual(time)
  })
})

describe('the times of a session of Source B [R17, R66]', () => {
  const fields = {
    date: '2031-08-08',
    start_time: '11:45:00',
    end_time: '12:30:00',
    timezone: undefined,
  } as const
  const START = read('2031-08-08T09:45:00Z')
  const END = read('2031-08-08T10:30:00Z')
  type Fields = Parameters<typeof readTimesOfB>[0]

  test.each<[name: string, changed: Partial<Fields>, start: Time, end: Time]>([
    ['date and times are combined in the zone', {}, START, END],
    ['a fraction is dropped', { start_time: '11:45:00.5' }, START, END],
    [
      'an end before the start is on the next day',
      { start_time: '23:00:00', end_time: '01:00:00' },
      read('2031-08-08T21:00:00Z'),
      read('2031-08-08T23:00:00Z'),
    ],
    [
      'the next day may be in the next year',
      { date: '2031-12-31', start_time: '23:00', end_time: '00:30' },
      read('2031-12-31T22:00:00Z'),
      read('2031-12-31T23:30:00Z'),
    ],
    ['an end equal to the start stays on the day', { end_time: '11:45' }, START, START],
    [
      'an end on the next day may be in a gap',
      { date: '2024-03-30', start_time: '23:00', end_time: '02:30' },
      read('2024-03-30T22:00:00Z'),
      skipped('2024-03-31T01:30:00Z'),
    ],
    [
      'an end before a start in a gap is on the next day',
      { date: '2024-03-31', start_time: '02:30', end_time: '01:00' },
      skipped('2024-03-31T01:30:00Z'),
      read('2024-03-31T23:00:00Z'),
    ],
    [
      'an end that clocks show twice is the later one before it is on the next day',
      { date: '2024-10-27', start_time: '02:30', end_time: '02:10' },
      ambiguous('2024-10-27T00:30:00Z'),
      ambiguous('2024-10-27T01:10:00Z'),
    ],
    [
      'an end at the moment of the change in autumn is the later of the two',
      { date: '2024-10-27', start_time: '02:30', end_time: '02:00' },
      ambiguous('2024-10-27T00:30:00Z'),
      ambiguous('2024-10-27T01:00:00Z'),
    ],
    [
      'an end that clocks show twice is the earlier one after an earlier start',
      { date: '2024-10-27', start_time: '01:30', end_time: '02:10' },
      read('2024-10-26T23:30:00Z'),
      ambiguous('2024-10-27T00:10:00Z'),
    ],
    [
      'an end that clocks show twice, both before the start, is on the next day',
      { date: '2024-10-27', start_time: '03:30', end_time: '02:10' },
      read('2024-10-27T02:30:00Z'),
      read('2024-10-28T01:10:00Z'),
    ],
    [
      'an end equal to a start that clocks show twice stays equal',
      { date: '2024-10-27', start_time: '02:30', end_time: '02:30' },
      ambiguous('2024-10-27T00:30:00Z'),
      ambiguous('2024-10-27T00:30:00Z'),
    ],
    [
      'a start with an offset decides which end is meant',
      { date: '2024-10-27', start_time: '02:30+01:00', end_time: '02:45' },
      read('2024-10-27T01:30:00Z'),
      ambiguous('2024-10-27T01:45:00Z'),
    ],
    [
      'an end at the moment of the change in spring is an ordinary one',
      { date: '2024-03-31', start_time: '01:00', end_time: '02:00' },
      read('2024-03-31T00:00:00Z'),
      read('2024-03-31T01:00:00Z'),
    ],
    [
      'a start at the moment of the change is skipped',
      { date: '2024-03-31', start_time: '02:00', end_time: '04:00' },
      skipped('2024-03-31T01:00:00Z'),
      read('2024-03-31T02:00:00Z'),
    ],
    [
      'an end before a skipped start by the instant alone is not moved to the next day',
      { date: '2024-03-31', start_time: '02:30', end_time: '03:15' },
      skipped('2024-03-31T01:30:00Z'),
      read('2024-03-31T01:15:00Z'),
    ],
    [
      'an end before the start by the clock alone is not moved either',
      { start_time: '11:45:00Z', end_time: '10:30-05:00' },
      read('2031-08-08T11:45:00Z'),
      read('2031-08-08T15:30:00Z'),
    ],
    [
      'midnight that is skipped ends the day before',
      { date: '2024-03-09', start_time: '23:00', end_time: '00:00', timezone: 'America/Havana' },
      read('2024-03-10T04:00:00Z'),
      read('2024-03-10T05:00:00Z'),
    ],
    [
      'a time with an offset is read with it',
      { start_time: '11:45:00Z', end_time: '12:30+01:00' },
      read('2031-08-08T11:45:00Z'),
      read('2031-08-08T11:30:00Z'),
    ],
    ['no date leaves nothing to combine', { date: null }, absent, absent],
    ['no start_time leaves the end', { start_time: null }, absent, END],
    ['no end_time leaves the start', { end_time: '' }, START, absent],
    ['a date that does not exist cannot be read', { date: '2031-02-30' }, unreadable, unreadable],
    ['a date with a time cannot be combined', { date: '2031-08-08 00:00:00' }, unreadable, unreadable],
    ['a time with a date cannot be combined', { start_time: '2031-08-08 11:45:00' }, unreadable, END],
    [
      'a start that cannot be read moves no end',
      { start_time: '25:00', end_time: '01:00' },
      unreadable,
      read('2031-08-07T23:00:00Z'),
    ],
    ['an end that cannot be read leaves the start', { end_time: '24:00' }, START, unreadable],
    [
      'an end after the last day there is cannot be read',
      { date: '9999-12-31', start_time: '12:00', end_time: '11:00' },
      read('9999-12-31T11:00:00Z'),
      unreadable,
    ],
    ['a time that is no text is absent and marked', { start_time: true }, noText, END],
    [
      'a cleaned date marks both',
      { date: '2031-08-08\0' },
      read('2031-08-08T09:45:00Z', 'unsupported_character'),
      read('2031-08-08T10:30:00Z', 'unsupported_character'),
    ],
    [
      'the mark of a time comes before that of the date',
      { date: '2031-08-08\0', end_time: [] },
      read('2031-08-08T09:45:00Z', 'unsupported_character'),
      noText,
    ],
  ])('%s', (_, changed, start, end) => {
    const { timezone = 'Europe/Berlin' } = changed
    expect(readTimesOfB({ ...fields, ...changed }, 'Europe/Berlin')).toEqual({
      start,
      end,
      timeZone: timezone,
    })
  })

  test.each<[name: string, timezone: Json | undefined, zone: string, start: Time]>([
    ['a missing timezone', undefined, 'Europe/Berlin', START],
    ['a blank timezone', ' ', 'Europe/Berlin', START],
    ['an IANA name', 'Asia/Tokyo', 'Asia/Tokyo', read('2031-08-08T02:45:00Z')],
    ['an IANA name in capitals', 'ASIA/TOKYO', 'ASIA/TOKYO', read('2031-08-08T02:45:00Z')],
    ['a link', 'US/Eastern', 'US/Eastern', read('2031-08-08T15:45:00Z')],
    ['a Windows name', 'Eastern Standard Time', 'America/New_York', read('2031-08-08T15:45:00Z')],
    ['a name of Rails', 'Eastern Time (US & Canada)', 'America/New_York', read('2031-08-08T15:45:00Z')],
    ['an abbreviation', 'EDT', '-04:00', read('2031-08-08T15:45:00Z')],
    ['an offset', '+05:00', '+05:00', read('2031-08-08T06:45:00Z')],
    ['a number as an offset', -5, '-05:00', read('2031-08-08T16:45:00Z')],
    ['an unknown name', 'Eastern Time', 'Europe/Berlin', read('2031-08-08T09:45:00Z', 'unknown_zone')],
    ['no text', { id: 1 }, 'Europe/Berlin', read('2031-08-08T09:45:00Z', 'unknown_zone')],
  ])('%s gives the expected zone', (_, timezone, zone, start) => {
    expect(readTimesOfB({ ...fields, timezone }, 'Europe/Berlin')).toMatchObject({ start, timeZone: zone })
  })

  test('an unknown time zone is reported only for times without an offset', () => {
    const { start, end } = readTimesOfB({ ...fields, start_time: '11:45Z', timezone: 'nowhere' }, null)
    expect(start.warnings).toEqual([])
    expect(end).toEqual({ status: 'unreadable', warnings: ['unknown_zone'] })
    expect(readTimesOfB({ ...fields, end_time: null, timezone: 'nowhere' }, null).end).toEqual(absent)
  })

  test('without a time zone, times without an offset are unreadable, but times with an offset are readable', () => {
    expect(readTimesOfB({ ...fields, end_time: '12:30Z' }, null)).toEqual({
      start: unreadable,
      end: read('2031-08-08T12:30:00Z'),
      timeZone: null,
    })
  })
})
