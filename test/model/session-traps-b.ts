import type { Fields } from './elements.ts'
import { type Json, num, obj } from './json.ts'
import type { OptionsB } from './options.ts'
import { optionalText, padded, requiredText } from './text-traps.ts'
import { changedWall, clock, plainWall, type Wall, ZONES } from './time-traps.ts'
import { type Draw, traps } from './traps.ts'

const timezone = traps<Json | undefined>('timezone of a session', {
  absent: [6, () => undefined],
  IANA: [6, ({ random }) => random.pick(ZONES)],
  link: [2, () => 'US/Eastern'],
  padded: [1, (draw) => padded(draw, 'Europe/Berlin')],
  'in small letters': [1, () => 'europe/berlin'],
  abbreviation: [1, ({ random }) => random.pick(['EST', 'EST5EDT', 'CET', 'GMT', 'PST', 'IST'])],
  junk: [2, ({ random }) => random.pick(['Mars/Olympus', 'CEST summer', '(GMT+01:00) Berlin', '-'])],
  'an offset is no zone': [1, ({ random }) => random.pick(['+02:00', '-0500', '+01'])],
  none: [2, ({ random }) => random.pick([null, '', ' '])],
  'no text': [1, ({ random }) => random.pick<Json>([true, [], obj({})])],
})

const date = traps<(wall: Wall, draw: Draw) => Json | undefined>('date of B', {
  plain: [
    40,
    () =>
      ({ day }) =>
        day,
  ],
  padded: [
    2,
    () =>
      ({ day }, draw) =>
        padded(draw, day),
  ],
  'with U+0000': [
    1,
    () =>
      ({ day }) =>
        `${day}\u0000`,
  ],
  none: [
    2,
    () =>
      (_, { random }) =>
        random.pick([null, '', undefined]),
  ],
  'zero date': [1, () => () => '0000-00-00'],
  'a day that does not exist': [1, () => () => '2031-02-30'],
  'another form': [
    1,
    () =>
      (_, { random }) =>
        random.pick(['08/08/2031', '2031-8-8', '20310808', '8 August']),
  ],
  'no text': [
    1,
    () =>
      (_, { random }) =>
        random.pick<Json>([true, [], obj({})]),
  ],
  number: [0.7, () => () => num(20310808)],
})

const timeOfDay = traps<(wall: Wall, draw: Draw) => Json | undefined>('time of day of B', {
  plain: [40, () => (wall, draw) => clock(draw, wall)],
  padded: [2, () => (wall, draw) => padded(draw, clock(draw, wall))],
  none: [
    2,
    () =>
      (_, { random }) =>
        random.pick([null, '', undefined]),
  ],
  'with an offset': [1, () => (wall, draw) => clock(draw, wall) + draw.random.pick(['Z', '+02:00', '-0500'])],
  '24:00': [1, () => () => '24:00:00'],
  'second 60': [0.7, () => () => '10:00:60'],
  'another form': [
    1,
    () =>
      (_, { random }) =>
        random.pick(['9:00', '11:45 PM', '114500', '11.45', 'noon', 'T11:45']),
  ],
  'no text': [
    1,
    () =>
      (_, { random }) =>
        random.pick<Json>([false, [], obj({})]),
  ],
})

const wallOfB = traps<(zone: string | undefined, draw: Draw) => Wall>('session on', {
  'a plain day': [10, () => (_, draw) => plainWall(draw)],
  'a clock change that skips it': [1, () => (zone, draw) => changedWall(draw, zone, 'gap')],
  'a clock change that has it twice': [2, () => (zone, draw) => changedWall(draw, zone, 'twice')],
})

const endOf = traps<(start: Wall, draw: Draw) => Wall>('end of B', {
  'later that day': [
    10,
    () =>
      ({ day }) => ({ day, minute: '23:45' }),
  ],
  'shortly after': [
    3,
    () =>
      ({ day, minute }) => ({ day, minute: `${minute.slice(0, 4)}9` }),
  ],
  'before the start': [
    3,
    () =>
      ({ day }) => ({ day, minute: '00:05' }),
  ],
  'before the start, on a day of clock change': [
    2,
    () =>
      ({ day }) => ({ day, minute: '01:30' }),
  ],
  'equal to the start': [2, () => (start) => start],
})

/** The fields of a session of B but for its id. */
export function makeSessionOfB(draw: Draw, { timeZone }: OptionsB): Fields {
  const zone = timezone(draw)
  const start = wallOfB(draw)(typeof zone === 'string' && zone.includes('/') ? zone : timeZone, draw)
  const end = endOf(draw)(start, draw)
  const same = draw.random.chance(0.3)
  return {
    name: requiredText(draw),
    date: date(draw)(start, draw),
    start_time: same ? `${start.minute}:00` : timeOfDay(draw)(start, draw),
    end_time: same ? `${end.minute}:00` : timeOfDay(draw)(end, draw),
    timezone: zone,
    description: optionalText(draw),
    // Fields that nobody asks for.
    Name: 'x',
    location_id: num(5),
  }
}
