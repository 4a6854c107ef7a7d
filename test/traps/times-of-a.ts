import { excluded, synced } from './traps.ts'
import { type TrapOfA, trapsOfA } from './traps-of-a.ts'

const badTime = excluded('bad_time')
const nineInNewYork = synced({ startTime: '2031-05-04T13:00:00Z' })

/** A session that starts so, and ends at eleven in the evening. */
const starts = (StartTime: unknown) => ({ slot: { StartTime, EndTime: '2031-05-04T23:00:00Z' } })
/** A session from half past nine, UTC, to this end. */
const ends = (EndTime: unknown) => ({ slot: { EndTime } })

const objects: readonly TrapOfA[] = [
  {
    name: 'of {UTC, EventTime}, an EventTime with an offset counts',
    ...starts({ UTC: '2031-05-04T11:11:00Z', EventTime: '2031-05-04T09:00:00-04:00' }),
    agenda: nineInNewYork,
  },
  {
    name: 'of {UTC, EventTime}, an EventTime that ends in Z counts',
    ...starts({ UTC: '2031-05-04T11:11:00Z', EventTime: '2031-05-04T13:00:00Z' }),
    agenda: nineInNewYork,
  },
  {
    name: 'an EventTime without an offset gives way to UTC',
    ...starts({ UTC: '2031-05-04T13:00:00Z', EventTime: '2031-05-04T11:11:00' }),
    agenda: nineInNewYork,
  },
  {
    name: 'UTC without an offset is UTC all the same',
    ...starts({ UTC: '2031-05-04T13:00:00', EventTime: '2031-05-04T11:11:00' }),
    agenda: nineInNewYork,
  },
  {
    name: 'UTC alone is enough',
    ...starts({ UTC: '2031-05-04T13:00:00Z' }),
    agenda: nineInNewYork,
  },
  {
    name: 'an EventTime without an offset, and no UTC, is local to the time zone of the source',
    ...starts({ UTC: null, EventTime: '2031-05-04T09:00:00' }),
    agenda: nineInNewYork,
  },
  {
    name: 'a blank UTC is no UTC',
    ...starts({ UTC: ' ', EventTime: '2031-05-04T09:00:00' }),
    agenda: nineInNewYork,
  },
  {
    name: 'the keys UTC and EventTime match without regard to case',
    ...starts({ utc: '2031-05-04T11:11:00Z', eventTime: '2031-05-04T09:00:00-04:00' }),
    agenda: nineInNewYork,
  },
  {
    name: 'a chosen EventTime that cannot be read is not replaced by UTC',
    ...starts({ UTC: '2031-05-04T13:00:00Z', EventTime: '2031-02-30T09:00:00-04:00' }),
    agenda: badTime,
  },
  {
    name: 'a chosen UTC that cannot be read is not replaced by EventTime',
    ...starts({ UTC: 'soon', EventTime: '2031-05-04T09:00:00' }),
    agenda: badTime,
  },
  {
    name: 'an object without UTC and EventTime is a missing start',
    ...starts({ Local: '2031-05-04T09:00:00' }),
    agenda: excluded('missing_required:startTime'),
  },
  {
    name: 'an object whose UTC and EventTime are null is a missing end',
    ...ends({ UTC: null, EventTime: null }),
    agenda: excluded('missing_required:endTime'),
  },
]

const accepted: readonly TrapOfA[] = [
  { name: 'a text with an offset', ...starts('2031-05-04T09:00:00-04:00'), agenda: nineInNewYork },
  { name: 'a text that ends in Z', ...starts('2031-05-04T13:00:00Z'), agenda: nineInNewYork },
  { name: 'a text without an offset is local', ...starts('2031-05-04T09:00:00'), agenda: nineInNewYork },
  { name: 'a blank may stand for the T', ...starts('2031-05-04 09:00:00'), agenda: nineInNewYork },
  { name: 'seconds may be left out', ...starts('2031-05-04T09:00'), agenda: nineInNewYork },
  { name: 'seconds may be left out before Z', ...starts('2031-05-04 13:00Z'), agenda: nineInNewYork },
  {
    name: 'seconds count',
    ...starts('2031-05-04T09:00:59'),
    agenda: synced({ startTime: '2031-05-04T13:00:59Z' }),
  },
  {
    name: 'a fraction of a second is dropped, not rounded',
    ...starts('2031-05-04T09:00:59.9999999'),
    agenda: synced({ startTime: '2031-05-04T13:00:59Z' }),
  },
  {
    name: 'a fraction may stand before an offset',
    ...starts('2031-05-04T09:00:00.123-04:00'),
    agenda: nineInNewYork,
  },
  { name: 'an offset may lack its colon', ...starts('2031-05-04T09:00:00-0400'), agenda: nineInNewYork },
  {
    name: 'an offset may have half hours',
    ...starts('2031-05-04T18:30:00+05:30'),
    agenda: nineInNewYork,
  },
  {
    name: 'an offset may lead to the day before',
    ...starts('2031-05-05T03:00:00+14:00'),
    agenda: nineInNewYork,
  },
  { name: 'blanks around a time are trimmed', ...starts(' 2031-05-04T09:00:00 \n'), agenda: nineInNewYork },
  {
    name: '29 February exists in a leap year',
    slot: { StartTime: '2032-02-29T09:00:00Z', EndTime: '2032-02-29T10:00:00Z' },
    agenda: synced({ startTime: '2032-02-29T09:00:00Z' }),
  },
]

const refused: readonly TrapOfA[] = [
  { name: '24:00 is no time', ...starts('2031-05-04T24:00:00'), agenda: badTime },
  { name: 'second 60 is no time', ...starts('2031-05-04T09:00:60'), agenda: badTime },
  { name: 'minute 60 is no time', ...starts('2031-05-04T09:60:00'), agenda: badTime },
  { name: '30 February is no day', ...starts('2031-02-30T09:00:00Z'), agenda: badTime },
  { name: '29 February is no day in a common year', ...starts('2031-02-29T09:00:00Z'), agenda: badTime },
  { name: '31 April is no day', ...starts('2031-04-31T09:00:00Z'), agenda: badTime },
  { name: 'month 13 is no month', ...starts('2030-13-01T09:00:00Z'), agenda: badTime },
  { name: 'a zero date is no day', ...starts('0000-00-00T00:00:00Z'), agenda: badTime },
  { name: 'a date alone is no time', ...starts('2031-05-04'), agenda: badTime },
  { name: 'a clock alone is no time', ...starts('09:00:00'), agenda: badTime },
  { name: 'an hour of one digit is no time', ...starts('2031-05-04T9:00:00'), agenda: badTime },
  { name: 'a month of one digit is no time', ...starts('2031-5-04T09:00:00'), agenda: badTime },
  { name: 'a time with AM or PM is no time', ...starts('2031-05-04 09:00 AM'), agenda: badTime },
  { name: 'a day before the month is no time', ...starts('04/05/2031 09:00'), agenda: badTime },
  { name: 'a small t is no T', ...starts('2031-05-04t09:00:00'), agenda: badTime },
  { name: 'a small z is no Z', ...starts('2031-05-04T09:00:00z'), agenda: badTime },
  { name: 'two blanks are no T', ...starts('2031-05-04  09:00:00'), agenda: badTime },
  { name: 'a blank before the offset is refused', ...starts('2031-05-04T09:00:00 -04:00'), agenda: badTime },
  { name: 'an offset of hours alone is refused', ...starts('2031-05-04T09:00:00-04'), agenda: badTime },
  { name: 'a zone in brackets is refused', ...starts('2031-05-04T09:00:00-04:00[US]'), agenda: badTime },
  { name: 'a fraction after a comma is refused', ...starts('2031-05-04T09:00:00,5'), agenda: badTime },
  { name: 'a point without a fraction is refused', ...starts('2031-05-04T09:00:00.'), agenda: badTime },
  { name: 'a date without hyphens is refused', ...starts('20310504T090000Z'), agenda: badTime },
  { name: 'a year of five digits is refused', ...starts('+12031-05-04T09:00:00Z'), agenda: badTime },
  { name: 'a number is its text, and that is no time', ...starts(1935738000), agenda: badTime },
  { name: 'a date of another system is refused', ...starts('/Date(1935738000000)/'), agenda: badTime },
  {
    name: 'full-width digits are no digits',
    ...starts('２０３１-05-04T09:00:00'),
    agenda: badTime,
  },
  {
    name: 'a boolean is no text, so the start is missing, and marked',
    ...starts(true),
    agenda: excluded('missing_required:startTime', 'not_text:startTime'),
  },
  {
    name: 'a list is no text, so the end is missing, and marked',
    ...ends(['2031-05-04T10:00:00Z']),
    agenda: excluded('missing_required:endTime', 'not_text:endTime'),
  },
]

const endsAndStarts: readonly TrapOfA[] = [
  { name: 'an end equal to the start', ...ends('2031-05-04T09:30:00Z'), agenda: badTime },
  { name: 'an end before the start', ...ends('2031-05-04T08:30:00Z'), agenda: badTime },
  {
    name: 'an end before the start by the clock, after it in truth',
    ...ends('2031-05-04T08:30:00-04:00'),
    agenda: synced({ startTime: '2031-05-04T09:30:00Z', endTime: '2031-05-04T12:30:00Z' }),
  },
  {
    name: 'an end that equals the start once the fractions are dropped',
    ...ends('2031-05-04T09:30:00.900Z'),
    agenda: badTime,
  },
  { name: 'a blank start is missing', ...starts(' '), agenda: excluded('missing_required:startTime') },
  {
    name: 'an absent start is missing',
    ...starts(undefined),
    agenda: excluded('missing_required:startTime'),
  },
  { name: 'a null end is missing', ...ends(null), agenda: excluded('missing_required:endTime') },
]

const newYork = { timeZone: 'America/New_York' }
trapsOfA('times of Source A as objects', newYork, objects)
trapsOfA('times of Source A that are accepted', newYork, accepted)
trapsOfA('times of Source A that are refused', newYork, refused)
trapsOfA('start and end of Source A', newYork, endsAndStarts)
trapsOfA('times of Source A without a time zone', {}, [
  {
    name: 'a time without an offset, and no zone at all, is no time',
    ...starts('2031-05-04T09:00'),
    agenda: badTime,
  },
  { name: 'a time with an offset needs no zone', ...starts('2031-05-04T09:00-04:00'), agenda: nineInNewYork },
  { name: 'UTC needs no zone', ...starts({ UTC: '2031-05-04T13:00' }), agenda: nineInNewYork },
])
