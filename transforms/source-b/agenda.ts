import { badTime } from '../declare/bad-time.ts'
import { content } from '../declare/content.ts'
import { HTML, instant, optional, required, uniqueId } from '../declare/field.ts'
import type { OptionsB } from './options.ts'
import { sessions } from './resources.ts'

const session = sessions.columns
const ZONE = 'in the time zone that the session names or, if it names none, in source.timeZone'

export const agenda = content<OptionsB>('agenda', sessions, {
  alias: 'session',
  uniqueId: uniqueId({ column: sessions.id }, '2.6.5'),
  fields: {
    name: required(session.name, '2.6.1', {
      why: 'A session needs a name, and this one has none.',
      todo: 'Give it a name at the source.',
    }),
    startTime: instant(
      session.start_time,
      '2.6.2',
      `The date and start time in UTC, read as local time ${ZONE}.`,
      {
        also: [{ column: session.time_zone }],
        missing: {
          why: 'A session needs a start, and this one has no date or no start time.',
          todo: 'Give it both at the source.',
        },
      },
    ),
    endTime: instant(
      session.end_time,
      '2.6.3',
      `The date and end time in UTC, read as local time ${ZONE}. If the end would be before the start, the end is on the next day.`,
      {
        also: [{ column: session.time_zone }],
        missing: {
          why: 'A session needs an end, and this one has no end time.',
          todo: 'Give it one at the source.',
        },
      },
    ),
    description: optional(session.description, '2.6.4', HTML),
  },
  excludeLast: [
    badTime(
      session.start_time,
      session.end_time,
      'the session',
      'Fix it at the source: a date such as 2031-05-04 and a time such as 09:00, local to timezone or source.timeZone.',
      {
        why: 'The session ends at its start.',
        todo: 'Fix the times at the source.',
        columns: [session.start_time, session.end_time, session.time_zone],
      },
    ),
  ],
})
