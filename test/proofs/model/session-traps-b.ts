import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import type { Fields } from './elements.ts'
import type { OptionsB } from './options.ts'
import { optionalText, padded, requiredText } from './text-traps.ts'
import { changedWall, clock, plainWall, type Wall, ZONES } from './time-traps.ts'

const timezone = traps<Json | undefined>('timezone of a session', {
  absent: [6, undefined],
  IANA: [6, ...ZONES],
  link: [2, 'US/Eastern'],
  padded: [1, (draw) => padded(draw, 'Europe/Berlin')],
  'in small letters': [1, 'europe/berlin'],
  abbreviation: [1, 'EST', 'EST5EDT', 'CET', 'GMT', 'PST', 'mdt', 'Z', 'IST'],
  'of Windows or Rails': [
    2,
    'Eastern Standard Time',
    'w. europe standard time',
    'Berlin',
    'Eastern Time (US & Canada)',
    '(GMT+01:00) Berlin',
  ],
  junk: [2, 'Mars/Olympus', 'CEST summer', '(GMT+01:00) Berlin time', '-'],
  offset: [2, '+02:00', '-0500', '+01', 'UTC-5', 'GMT+2', 'utc+05:30', 'Etc/GMT+5'],
  'an offset that no zone has': [1, '+15:00', '-300', '2', 'GMT5', '+05:60'],
  none: [2, null, '', ' '],
  'no text': [1, true, [], obj({})],
})

const date = traps<Json | undefined, [wall: Wall]>('date of B', {
  plain: [40, (_, { day }) => day],
  padded: [2, (draw, { day }) => padded(draw, day)],
  'with U+0000': [1, (_, { day }) => `${day}\u0000`],
  none: [2, null, '', undefined],
  'zero date': [1, '0000-00-00'],
  'a day that does not exist': [1, '2031-02-30'],
  'another form': [1, '08/08/2031', '2031-8-8', '20310808', '8 August'],
  'no text': [1, true, [], obj({})],
  number: [0.7, num(20310808)],
})

const OTHER_CLOCKS = ['9:00', '11:45 PM', '114500', '11.45', 'noon', 'T11:45']

const timeOfDay = traps<Json | undefined, [wall: Wall]>('time of day of B', {
  plain: [40, clock],
  padded: [2, (draw, wall) => padded(draw, clock(draw, wall))],
  none: [2, null, '', undefined],
  'with an offset': [1, (draw, wall) => clock(draw, wall) + draw.random.pick(['Z', '+02:00', '-0500'])],
  '24:00': [1, '24:00:00'],
  'second 60': [0.7, '10:00:60'],
  'another form': [1, ...OTHER_CLOCKS],
  'no text': [1, false, [], obj({})],
})

const wallOfB = traps<Wall, [zone: string | undefined]>('session on', {
  'a plain day': [10, plainWall],
  'a clock change that skips it': [1, (draw, zone) => changedWall(draw, zone, 'gap')],
  'a clock change that has it twice': [2, (draw, zone) => changedWall(draw, zone, 'twice')],
})

const endOf = traps<Wall, [start: Wall]>('end of B', {
  'later that day': [10, (_, { day }) => ({ day, minute: '23:45' })],
  'shortly after': [3, (_, { day, minute }) => ({ day, minute: `${minute.slice(0, 4)}9` })],
  'before the start': [3, (_, { day }) => ({ day, minute: '00:05' })],
  'before the start, on a day of clock change': [2, (_, { day }) => ({ day, minute: '01:30' })],
  'at full hours of the night': [
    2,
    ({ random }, { day }) => ({ day, minute: random.pick(['02:00', '03:00', '01:00']) }),
  ],
  'equal to the start': [2, (_, start) => start],
})

export function makeSessionOfB(draw: Draw, { timeZone }: OptionsB): Fields {
  const zone = timezone(draw)
  const start = wallOfB(draw, typeof zone === 'string' && zone.includes('/') ? zone : timeZone)
  const end = endOf(draw, start)
  const same = draw.random.chance(0.3)
  return {
    name: requiredText(draw),
    date: date(draw, start),
    start_time: same ? `${start.minute}:00` : timeOfDay(draw, start),
    end_time: same ? `${end.minute}:00` : timeOfDay(draw, end),
    timezone: zone,
    description: optionalText(draw),
    // Fields that nobody requested.
    Name: 'x',
    location_id: num(5),
  }
}
