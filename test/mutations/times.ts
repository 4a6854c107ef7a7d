import { type Mutation, mutationsOf } from './mutation.ts'

/** Rules on times and zones. Source: spec-gaps, "Times, A", "Times, B". */
export const ofTimes: readonly Mutation[] = [
  ...mutationsOf('transforms/rules/times.ts', {
    'Times, A: an EventTime with an offset is passed over': [
      'eventTime.value !== null && ENDS_IN_OFFSET.test(eventTime.value)',
      'eventTime.value === undefined',
    ],
    'Times, A: an EventTime without offset comes before UTC': [
      '  if (eventTime.value !== null && ENDS_IN_OFFSET.test(eventTime.value)) {\n    return toTime(eventTime.value, null, eventTime.mark)',
      '  if (eventTime.value !== null) {\n    return toTime(eventTime.value, timeZone, eventTime.mark)',
    ],
    'Times, A: UTC without offset is local': [
      `toTime(utc.value, 'UTC', mark)`,
      'toTime(utc.value, timeZone, mark)',
    ],
    'Times: a day that does not exist moves on': [' || new Date(wallMs).toISOString() !== shown', ''],
    'Times: a fraction of a second is refused': ['(?::(\\d{2})(?:\\.\\d+)?)?', '(?::(\\d{2}))?'],
    'Times: an offset needs its colon': ['([01]\\d|2[0-3]):?([0-5]\\d)', '([01]\\d|2[0-3]):([0-5]\\d)'],
    'Times: a blank does not stand for T': ['[T ](\\d{2}:\\d{2})', 'T(\\d{2}:\\d{2})'],
    'Times: an offset counts the wrong way': [
      `sign === '-' ? -sizeMs : sizeMs`,
      `sign === '-' ? sizeMs : -sizeMs`,
    ],
    'Times, B: an end equal to the start is on the next day': [
      'endClock.wallMs < startClock.wallMs',
      'endClock.wallMs <= startClock.wallMs',
    ],
    'Times, B: an end before the start is on the same day': [
      'isNextDay ? nextDay(endClock) : endClock',
      'endClock',
    ],
    "Times, B: the session's own zone is not looked at": [
      'ownZone !== null && isTimeZone(ownZone) ? ownZone : timeZone',
      'timeZone',
    ],
    'Times, B: a zone that is none is used all the same': [
      'ownZone !== null && isTimeZone(ownZone) ? ownZone',
      'ownZone !== null ? ownZone',
    ],
    'Clock change: of two instants the later is taken': [
      'const [earliest] = instants',
      'const earliest = instants.at(-1)',
    ],
    'Clock change: a time that occurs twice is not noted': [
      `instants.length > 1 ? 'ambiguous' : 'read'`,
      `'read'`,
    ],
    'Times: an offset is ignored, the zone of the source counts': [
      'if (offsetMs !== null) return [wallMs - offsetMs]',
      '',
    ],
  }),
  ...mutationsOf('transforms/rules/zones.ts', {
    'Clock change: a time that is skipped is moved': [
      '    .map((offsetMs) => wallMs - offsetMs)\n    .filter((instant) => instant + offsetMsAt(formatter, instant) === wallMs)',
      '    .map((offsetMs) => wallMs - offsetMs)',
    ],
    'Time zones: names that IANA does not have are taken': [' || OF_ICU_ONLY.test(name)', ''],
    'Time zones: every zone is UTC': ['const size = (Number(hours)', 'const size = 0 * (Number(hours)'],
  }),
]
