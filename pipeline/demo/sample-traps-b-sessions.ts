import { having, type Neighbour, sharingId, type Trap, trap } from './sample-trap.ts'

/** What Source B's sessions show. */
export const sessionTrapsOfB: readonly Trap<Neighbour>[] = [
  trap(
    'b-timezone-own',
    'a session in a time zone of its own, by name and by old name',
    having({ timezone: 'Europe/Lisbon', use_event_timezone: false }),
    having({ timezone: 'US/Eastern', use_event_timezone: false }),
    having({ timezone: 'US/Pacific', use_event_timezone: false }),
  ),
  trap(
    'b-timezone-junk',
    'a time zone that is none: the configured one counts',
    having({ timezone: 'Eastern Time (US & Canada)' }),
    having({ timezone: '' }),
    having({ timezone: 'GMT-5' }),
  ),
  trap(
    'b-end-next-day',
    'the end is before the start by the clock on the wall: the next day',
    having({ start_time: '22:00:00', end_time: '01:00:00' }),
    having({ start_time: '23:30:00', end_time: '00:15:00' }),
  ),
  trap(
    'b-end-equals-start',
    'no time between start and end',
    having({ start_time: '12:00:00', end_time: '12:00:00' }),
  ),
  trap('b-date-null', 'no date, so no start', having({ date: null }), having({ date: '' })),
  trap(
    'b-times-null',
    'start or end missing',
    having({ start_time: null, end_time: null }),
    having({ end_time: null }),
  ),
  trap(
    'b-date-impossible',
    'a date or time that is there but none',
    having({ date: '0000-00-00' }),
    having({ start_time: '9 am' }),
  ),
  trap(
    'b-time-skipped',
    'a local time that the change to summer time skips',
    having({
      date: '2031-03-09',
      start_time: '02:30:00',
      end_time: '03:30:00',
      timezone: 'America/New_York',
    }),
  ),
  trap(
    'b-time-ambiguous',
    'a local time that occurs twice when summer time ends',
    having({
      date: '2031-11-02',
      start_time: '01:30:00',
      end_time: '03:00:00',
      timezone: 'America/New_York',
    }),
  ),
  trap(
    'b-description-empty',
    'empty text is absent',
    having({ description: '' }),
    having({ description: ' \n ' }),
  ),
  trap(
    'b-description-html',
    'HTML stays as it is',
    having({
      description:
        '<p>Meet at <b>Pier&nbsp;9</b>;<br>bring <a href="https://example.org/map">the map</a></p>',
    }),
  ),
  trap('b-session-repeated-id', 'two sessions with one id: the later counts', sharingId('id')),
  trap('b-session-name-blank', 'a required name that is blank', having({ name: '' }), having({ name: null })),
  trap(
    'b-session-unsupported-character',
    'U+0000 and lone surrogates',
    having({ name: 'Zero\u0000 emissions' }),
    having({ description: 'a torn emoji: \ud83d' }),
  ),
  trap(
    'b-session-formula',
    'a name that a spreadsheet would run',
    having({ name: '=SUM(tides)' }),
    having({ name: '+1: growing a team' }),
    having({ name: '- what is left unsaid -' }),
    having({ name: '@noon: open harbour' }),
  ),
]
