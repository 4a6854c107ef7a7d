import { excluded, synced } from './traps.ts'
import { type TrapOfB, trapsOfB } from './traps-of-b.ts'

const badTime = excluded('bad_time')
const noStart = excluded('missing_required:startTime')
const noEnd = excluded('missing_required:endTime')

/** A session on 8 August 2031, when New York is four hours behind UTC, from then to a quarter to midnight. */
const starts = (start_time: unknown) => ({ session: { start_time, end_time: '23:45:00' } })
/** A session on that day from nine in the morning to then. */
const ends = (end_time: unknown) => ({ session: { end_time } })
/** A session from nine to ten on that day. */
const on = (date: unknown) => ({ session: { date } })
/** A session at nine in a time zone of its own. */
const inZone = (timezone: unknown) => ({ session: { timezone } })

const elevenInNewYork = synced({ startTime: '2031-08-08T15:00:00Z', endTime: '2031-08-09T03:45:00Z' })

const accepted: readonly TrapOfB[] = [
  {
    name: 'date and time of day are local to the time zone of the source',
    ...starts('11:00:00'),
    agenda: elevenInNewYork,
  },
  { name: 'a time of day may lack its seconds', ...starts('11:00'), agenda: elevenInNewYork },
  { name: 'a time of day drops its fraction', ...starts('11:00:00.999'), agenda: elevenInNewYork },
  { name: 'a time of day may end in Z', ...starts('15:00:00Z'), agenda: elevenInNewYork },
  { name: 'a time of day may have an offset', ...starts('17:00:00+02:00'), agenda: elevenInNewYork },
  {
    name: 'a time of day may have an offset without colon',
    ...starts('17:00+0200'),
    agenda: elevenInNewYork,
  },
  { name: 'blanks around a time of day are trimmed', ...starts(' 11:00:00 '), agenda: elevenInNewYork },
  {
    name: 'blanks around a date are trimmed',
    ...on(' 2031-08-08\t'),
    agenda: synced({ startTime: '2031-08-08T13:00:00Z', endTime: '2031-08-08T14:00:00Z' }),
  },
]

const refused: readonly TrapOfB[] = [
  { name: 'a time of day of 24:00 is refused', ...starts('24:00:00'), agenda: badTime },
  { name: 'a time of day with second 60 is refused', ...starts('11:00:60'), agenda: badTime },
  { name: 'an hour of one digit is refused', ...starts('9:00:00'), agenda: badTime },
  { name: 'an hour alone is refused', ...starts('11'), agenda: badTime },
  { name: 'a time of day with AM is refused', ...starts('11:00 AM'), agenda: badTime },
  { name: 'words for a time of day are refused', ...starts('noon'), agenda: badTime },
  { name: 'a time of day with a T of its own is refused', ...starts('T11:00'), agenda: badTime },
  { name: 'a start with a date of its own is refused', ...starts('2031-08-08T11:00:00'), agenda: badTime },
  { name: 'an end that cannot be read is refused', ...ends('late'), agenda: badTime },
  { name: 'a number as time of day is its text, and refused', ...starts(1100), agenda: badTime },
  { name: 'a zero date is refused', ...on('0000-00-00'), agenda: badTime },
  { name: '30 February is refused', ...on('2031-02-30'), agenda: badTime },
  { name: 'a date of single digits is refused', ...on('2031-8-8'), agenda: badTime },
  { name: 'a date with slashes is refused', ...on('08/08/2031'), agenda: badTime },
  { name: 'a date with a time is refused', ...on('2031-08-08T00:00:00'), agenda: badTime },
  { name: 'a date as a number is refused', ...on(20310808), agenda: badTime },
]

const missing: readonly TrapOfB[] = [
  { name: 'without a date the start is missing', ...on(null), agenda: noStart },
  { name: 'a blank date is no date', ...on('  '), agenda: noStart },
  { name: 'a date that is absent is no date', ...on(undefined), agenda: noStart },
  { name: 'without a start_time the start is missing', ...starts(null), agenda: noStart },
  { name: 'a blank start_time is missing', ...starts(''), agenda: noStart },
  { name: 'without an end_time the end is missing', ...ends(null), agenda: noEnd },
  { name: 'an end_time that is absent is missing', ...ends(undefined), agenda: noEnd },
  {
    name: 'without start_time and end_time the start is what is missing',
    session: { start_time: null, end_time: null },
    agenda: noStart,
  },
  {
    name: 'a boolean is no start_time: missing, and marked',
    ...starts(true),
    agenda: excluded('missing_required:startTime', 'not_text:startTime'),
  },
  {
    name: 'an object is no end_time: missing, and marked',
    ...ends({ time: '10:00:00' }),
    agenda: excluded('missing_required:endTime', 'not_text:endTime'),
  },
  {
    name: 'a list is no date: both times lack it, and both are marked',
    ...on(['2031-08-08']),
    agenda: excluded('missing_required:startTime', 'not_text:endTime; not_text:startTime'),
  },
]

const nextDay: readonly TrapOfB[] = [
  {
    name: 'an end before the start is on the next day',
    session: { start_time: '22:00:00', end_time: '01:00:00' },
    agenda: synced({ startTime: '2031-08-09T02:00:00Z', endTime: '2031-08-09T05:00:00Z' }),
  },
  {
    name: 'the day after the last of a month is the first of the next',
    session: { date: '2031-08-31', start_time: '23:30:00', end_time: '00:15:00' },
    agenda: synced({ startTime: '2031-09-01T03:30:00Z', endTime: '2031-09-01T04:15:00Z' }),
  },
  {
    name: 'the day after the last of a year is the first of the next',
    session: { date: '2031-12-31', start_time: '23:30:00', end_time: '00:15:00' },
    // In winter New York is five hours behind.
    agenda: synced({ startTime: '2032-01-01T04:30:00Z', endTime: '2032-01-01T05:15:00Z' }),
  },
  {
    name: 'an end one second before the start is almost a day later',
    session: { start_time: '09:00:01', end_time: '09:00:00' },
    agenda: synced({ startTime: '2031-08-08T13:00:01Z', endTime: '2031-08-09T13:00:00Z' }),
  },
  { name: 'an end equal to the start is no time', ...ends('09:00:00'), agenda: badTime },
  { name: 'an end equal to the start but for its form is no time', ...ends('09:00'), agenda: badTime },
  {
    name: 'an end equal to the start but for its fraction is no time',
    ...ends('09:00:00.5'),
    agenda: badTime,
  },
]

const nineInUtc = synced({ startTime: '2031-08-08T09:00:00Z' })

const ownZones: readonly TrapOfB[] = [
  {
    name: 'a time zone of its own',
    ...inZone('Europe/Lisbon'),
    agenda: synced({ startTime: '2031-08-08T08:00:00Z' }),
  },
  {
    name: 'an old name of a time zone',
    ...inZone('US/Eastern'),
    agenda: synced({ startTime: '2031-08-08T13:00:00Z' }),
  },
  {
    name: 'a time zone in the south',
    ...inZone('Australia/Sydney'),
    agenda: synced({ startTime: '2031-08-07T23:00:00Z' }),
  },
  {
    name: 'a time zone of half hours',
    ...inZone('Asia/Kolkata'),
    agenda: synced({ startTime: '2031-08-08T03:30:00Z' }),
  },
  {
    name: 'a time zone that is an offset by name',
    ...inZone('Etc/GMT+5'),
    agenda: synced({ startTime: '2031-08-08T14:00:00Z' }),
  },
  {
    name: 'an abbreviation that IANA has',
    ...inZone('EST'),
    agenda: synced({ startTime: '2031-08-08T14:00:00Z' }),
  },
  { name: 'an abbreviation that IANA has not gives way to the source', ...inZone('PST'), agenda: nineInUtc },
  {
    name: 'a name for people gives way to the source',
    ...inZone('Eastern Time (US & Canada)'),
    agenda: nineInUtc,
  },
  { name: 'an offset is no name and gives way to the source', ...inZone('+05:00'), agenda: nineInUtc },
  {
    name: 'GMT with an offset is no name and gives way to the source',
    ...inZone('GMT-5'),
    agenda: nineInUtc,
  },
  { name: 'a zone nobody knows gives way to the source', ...inZone('Mars/Olympus'), agenda: nineInUtc },
  { name: 'an empty timezone gives way to the source', ...inZone(''), agenda: nineInUtc },
  { name: 'a timezone of null gives way to the source', ...inZone(null), agenda: nineInUtc },
  { name: 'a timezone that is a number gives way to the source', ...inZone(-5), agenda: nineInUtc },
  {
    name: 'a timezone that is an object gives way to the source',
    ...inZone({ id: 'US/Eastern' }),
    agenda: nineInUtc,
  },
]

const newYork = { timeZone: 'America/New_York' }
trapsOfB('times of Source B that are read or refused', newYork, [...accepted, ...refused, ...missing])
trapsOfB('ends of Source B', newYork, nextDay)
trapsOfB('the timezone of a session of Source B', {}, ownZones)
trapsOfB('times of Source B without a time zone', { timeZone: undefined }, [
  { name: 'no zone at all is no time', session: {}, agenda: badTime },
  { name: 'the zone of the session is enough', ...inZone('UTC'), agenda: nineInUtc },
  { name: 'a zone that is none leaves no zone at all', ...inZone('nowhere'), agenda: badTime },
])
