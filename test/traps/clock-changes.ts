import { excluded, synced } from './traps.ts'
import { type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { type TrapOfB, trapsOfB } from './traps-of-b.ts'

// 2031. New York leaves out 02:00 to 03:00 on 9 March and has 01:00 to 02:00 twice on 2 November; Sydney leaves out
// 02:00 to 03:00 on 5 October and has 02:00 to 03:00 twice on 6 April; Berlin leaves out 02:00 to 03:00 on 30 March
// and has that hour twice on 26 October; Lord Howe leaves out 02:00 to 02:30 on 5 October.
const badTime = excluded('bad_time')
const twice = 'ambiguous_time:startTime'

const from = (StartTime: unknown, EndTime: unknown) => ({ slot: { StartTime, EndTime } })

const northOfA: readonly TrapOfA[] = [
  {
    name: 'a start that the clock change skips is no time',
    ...from('2031-03-09T02:30:00', '2031-03-09T03:30:00'),
    agenda: badTime,
  },
  {
    name: 'an end that the clock change skips is no time',
    ...from('2031-03-09T01:30:00', '2031-03-09T02:30:00'),
    agenda: badTime,
  },
  {
    name: 'the first second that is skipped is no time',
    ...from('2031-03-09T02:00:00', '2031-03-09T03:30:00'),
    agenda: badTime,
  },
  {
    name: 'the last second before the gap and the first after it are one second apart',
    ...from('2031-03-09T01:59:59', '2031-03-09T03:00:00'),
    agenda: synced({ startTime: '2031-03-09T06:59:59Z', endTime: '2031-03-09T07:00:00Z' }),
  },
  {
    name: 'of a start that occurs twice the earlier counts, marked',
    ...from('2031-11-02T01:30:00', '2031-11-02T03:00:00'),
    agenda: synced({ startTime: '2031-11-02T05:30:00Z', endTime: '2031-11-02T08:00:00Z' }, twice),
  },
  {
    name: 'of an end that occurs twice the earlier counts, marked',
    ...from('2031-11-02T00:30:00', '2031-11-02T01:30:00'),
    agenda: synced({ endTime: '2031-11-02T05:30:00Z' }, 'ambiguous_time:endTime'),
  },
  {
    name: 'start and end that occur twice are both marked',
    ...from('2031-11-02T01:00:00', '2031-11-02T01:59:59'),
    agenda: synced(
      { startTime: '2031-11-02T05:00:00Z', endTime: '2031-11-02T05:59:59Z' },
      'ambiguous_time:endTime; ambiguous_time:startTime',
    ),
  },
  {
    name: 'an end in the second pass of the hour is read in the first, and so is before its start',
    ...from('2031-11-02T01:30:00', '2031-11-02T01:15:00'),
    agenda: excluded('bad_time', 'ambiguous_time:endTime; ambiguous_time:startTime'),
  },
  {
    name: 'the end of the hour that occurs twice occurs once',
    ...from('2031-11-02T02:00:00', '2031-11-02T03:00:00'),
    agenda: synced({ startTime: '2031-11-02T07:00:00Z' }),
  },
  {
    name: 'an offset says which of the two is meant',
    ...from('2031-11-02T01:30:00-05:00', '2031-11-02T03:00:00-05:00'),
    agenda: synced({ startTime: '2031-11-02T06:30:00Z' }),
  },
  {
    name: 'UTC says which of the two is meant',
    ...from({ EventTime: '2031-11-02T01:30:00', UTC: '2031-11-02T06:30:00Z' }, '2031-11-02T03:00:00'),
    agenda: synced({ startTime: '2031-11-02T06:30:00Z' }),
  },
  {
    name: 'an EventTime that is skipped is no time',
    ...from({ EventTime: '2031-03-09T02:30:00' }, '2031-03-09T04:00:00'),
    agenda: badTime,
  },
]

const southOfA: readonly TrapOfA[] = [
  {
    name: 'in the south a start in October is skipped',
    ...from('2031-10-05T02:30:00', '2031-10-05T04:00:00'),
    agenda: badTime,
  },
  {
    name: 'in the south the seconds around the gap are one second apart',
    ...from('2031-10-05T01:59:59', '2031-10-05T03:00:00'),
    agenda: synced({ startTime: '2031-10-04T15:59:59Z', endTime: '2031-10-04T16:00:00Z' }),
  },
  {
    name: 'in the south a start in April occurs twice, and the earlier counts',
    ...from('2031-04-06T02:30:00', '2031-04-06T04:00:00'),
    agenda: synced({ startTime: '2031-04-05T15:30:00Z', endTime: '2031-04-05T18:00:00Z' }, twice),
  },
]

const session = (date: string, start_time: string, end_time: string, timezone: string | null = null) => ({
  session: { date, start_time, end_time, timezone },
})

const ofB: readonly TrapOfB[] = [
  {
    name: 'a start of Source B that the clock change skips is no time',
    ...session('2031-03-09', '02:30:00', '03:30:00'),
    agenda: badTime,
  },
  {
    name: 'an end of Source B that the clock change skips is no time',
    ...session('2031-03-09', '01:30:00', '02:30:00'),
    agenda: badTime,
  },
  {
    name: 'an end on the next day that the clock change skips is no time',
    ...session('2031-03-08', '23:30:00', '02:30:00'),
    agenda: badTime,
  },
  {
    name: 'an end on the next day, past the gap, is an hour nearer',
    ...session('2031-03-08', '23:30:00', '03:30:00'),
    agenda: synced({ startTime: '2031-03-09T04:30:00Z', endTime: '2031-03-09T07:30:00Z' }),
  },
  {
    name: 'of a start of Source B that occurs twice the earlier counts, marked',
    ...session('2031-11-02', '01:30:00', '03:00:00'),
    agenda: synced({ startTime: '2031-11-02T05:30:00Z', endTime: '2031-11-02T08:00:00Z' }, twice),
  },
  {
    name: 'an end before the start by the clock is on the next day, though the hour occurs twice',
    ...session('2031-11-02', '01:30:00', '01:15:00'),
    agenda: synced({ startTime: '2031-11-02T05:30:00Z', endTime: '2031-11-03T06:15:00Z' }, twice),
  },
  {
    name: 'an end on the next day that occurs twice is marked',
    ...session('2031-11-01', '23:30:00', '01:30:00'),
    agenda: synced({ endTime: '2031-11-02T05:30:00Z' }, 'ambiguous_time:endTime'),
  },
  {
    name: 'start and end that are equal and occur twice are no time, and marked all the same',
    ...session('2031-11-02', '01:30:00', '01:30:00'),
    agenda: excluded('bad_time', 'ambiguous_time:endTime; ambiguous_time:startTime'),
  },
  {
    name: 'a gap in the time zone of the session alone is a gap',
    ...session('2031-03-30', '02:30:00', '04:00:00', 'Europe/Berlin'),
    agenda: badTime,
  },
  {
    name: 'a gap in the time zone of the source is none for a session with another',
    ...session('2031-03-09', '02:30:00', '04:00:00', 'Europe/Berlin'),
    agenda: synced({ startTime: '2031-03-09T01:30:00Z', endTime: '2031-03-09T03:00:00Z' }),
  },
  {
    name: 'an hour that occurs twice in the time zone of the session alone is marked',
    ...session('2031-10-26', '02:30:00', '04:00:00', 'Europe/Berlin'),
    agenda: synced({ startTime: '2031-10-26T00:30:00Z', endTime: '2031-10-26T03:00:00Z' }, twice),
  },
  {
    name: 'a gap in a southern time zone of the session',
    ...session('2031-10-05', '02:30:00', '04:00:00', 'Australia/Sydney'),
    agenda: badTime,
  },
  {
    name: 'an hour that occurs twice in a southern time zone of the session',
    ...session('2031-04-06', '02:30:00', '04:00:00', 'Australia/Sydney'),
    agenda: synced({ startTime: '2031-04-05T15:30:00Z', endTime: '2031-04-05T18:00:00Z' }, twice),
  },
  {
    name: 'a gap of half an hour',
    ...session('2031-10-05', '02:15:00', '04:00:00', 'Australia/Lord_Howe'),
    agenda: badTime,
  },
  {
    name: 'the first minute after a gap of half an hour',
    ...session('2031-10-05', '02:30:00', '04:00:00', 'Australia/Lord_Howe'),
    agenda: synced({ startTime: '2031-10-04T15:30:00Z', endTime: '2031-10-04T17:00:00Z' }),
  },
  {
    name: 'a day that a time zone left out altogether',
    ...session('2011-12-30', '12:00:00', '13:00:00', 'Pacific/Apia'),
    agenda: badTime,
  },
]

trapsOfA('clock changes of Source A in New York', { timeZone: 'America/New_York' }, northOfA)
trapsOfA('clock changes of Source A in Sydney', { timeZone: 'Australia/Sydney' }, southOfA)
trapsOfB('clock changes of Source B', { timeZone: 'America/New_York' }, ofB)
