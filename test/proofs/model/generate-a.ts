import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import { makeExtra } from './custom-options.ts'
import {
  changeResources,
  type Fields,
  type Maker,
  makeResources,
  type Resources,
  signedAgain,
} from './elements.ts'
import { makeIds } from './id-traps.ts'
import { spellKeys } from './key-traps.ts'
import { links } from './link-traps.ts'
import type { OptionsA } from './options.ts'
import { reference, speakersOf } from './reference-traps.ts'
import { optionalText, requiredText } from './text-traps.ts'
import { changedWall, plainWall, timeOfA, type Wall } from './time-traps.ts'
import { makeUser } from './user-traps.ts'

type IdsOfA = Readonly<
  Record<'Sessions' | 'TimeSlots' | 'Rooms' | 'Tracks' | 'SessionTypes' | 'Users', readonly string[]>
>

export interface SourceA {
  readonly options: OptionsA
  readonly ids: IdsOfA
  readonly resources: Resources
}

const flag = (name: string, usual: Json) =>
  traps<Json | undefined>(name, {
    absent: [8, undefined],
    usual: [20, usual],
    true: [2, true],
    false: [3, false],
    'false as text or number': [1.5, 'false', ' NO', num(0), '0'],
    'true as text or number': [1.5, 'True', 'yes', num(1), '1'],
    'neither true nor false': [1.5, 'off', num(2), [], obj({}), 'ja'],
    null: [1.5, null],
  })

const enabled = flag('Enabled', true)
const visible = flag('VisibleToAnonymousUsers', true)

const status = traps<Json | undefined>('Status', {
  Accepted: [20, 'Accepted'],
  Waitlisted: [3, 'Waitlisted'],
  'in another case': [2, 'accepted'],
  padded: [2, ' Accepted\u00a0'],
  'with U+0000': [1, 'Acc\u0000epted'],
  none: [2, null, '', undefined],
})

const typeTitle = traps<Json | undefined>('type title', {
  plain: [5, (draw) => optionalText(draw)],
  '1:1 meeting': [
    1,
    '1:1 Meeting',
    '1:1',
    'One-to-one meeting',
    '1 on 1',
    'One-on-One',
    '1 \u2013 1 meetings',
  ],
  'not quite a 1:1 meeting': [1, 'Session 1-1', 'Track 1:1', '1:10', '1:1 lounge', '1-2'],
  '1:1 meeting in another case, padded': [1, ' 1:1 MEETING ', 'one-TO-one meeting'],
  '1:1 meeting by the option': [1.5, 'Hosted buyer', 'ZWIEGESPRÄCH äö'],
})

const typeNames = traps<Fields>('type named by', {
  Title: [3, (draw) => ({ Title: typeTitle(draw) })],
  Name: [3, (draw) => ({ Name: typeTitle(draw) })],
  'both, Title counts': [1, (draw) => ({ Title: typeTitle(draw), Name: typeTitle(draw) })],
  'both, Title blank': [1, (draw) => ({ Title: draw.random.pick(['', null, ' ']), Name: typeTitle(draw) })],
})

const room = traps<Fields>('room', {
  'location and name': [6, (draw) => ({ Location: optionalText(draw), Name: optionalText(draw) })],
  'location alone': [1, (draw) => ({ Location: optionalText(draw), Name: null })],
  'name alone': [1, (draw) => ({ Name: optionalText(draw) })],
  'the same twice': [1, { Location: 'Hall 1', Name: ' Hall 1' }],
  neither: [1, { Location: ' ', Name: '' }],
})

const wallOfA = traps<Wall, [zone: string | undefined]>('time slot on', {
  'a plain day': [8, plainWall],
  'a clock change that skips it': [1, (draw, zone) => changedWall(draw, zone, 'gap')],
  'a clock change that has it twice': [2, (draw, zone) => changedWall(draw, zone, 'twice')],
})

const endOf = traps<Wall, [start: Wall, zone: string | undefined]>('time slot ends', {
  'that night': [8, (_, { day }) => ({ day, minute: '23:30' })],
  'when it starts': [1, (_, start) => start],
  anywhere: [1, (draw, _, zone) => wallOfA(draw, zone)],
  'at a clock change that has it twice': [1, (draw, _, zone) => changedWall(draw, zone, 'twice')],
})

function timeSlot(draw: Draw, { timeZone }: OptionsA): Fields {
  const start = wallOfA(draw, timeZone)
  const end = endOf(draw, start, timeZone)
  // Usually start and end have the same form. If only one of the two had a random UTC offset, most sessions
  // would end before they start.
  if (!draw.random.chance(0.6)) return { StartTime: timeOfA(draw, start), EndTime: timeOfA(draw, end) }
  const suffix =
    timeZone === undefined ? draw.random.pick(['Z', '+05:30', '-0800']) : draw.random.pick(['', '', 'Z'])
  const as = ({ day, minute }: Wall) =>
    draw.random.chance(0.5)
      ? `${day}T${minute}:00${suffix}`
      : obj({ EventTime: `${day} ${minute}${suffix}`, UTC: suffix === '' ? null : '2031-01-01T00:00' })
  return { StartTime: as(start), EndTime: as(end) }
}

function session(draw: Draw, ids: IdsOfA): Fields {
  const { random } = draw
  const speakers = speakersOf(draw, ids.Users)
  return {
    Title: requiredText(draw),
    Description: optionalText(draw),
    Enabled: enabled(draw),
    Status: status(draw),
    VisibleToAnonymousUsers: visible(draw),
    Code: random.chance(0.3) ? 'C-1' : null,
    TrackId: reference(draw, ids.Tracks, 'track'),
    TimeSlotId: reference(draw, ids.TimeSlots, 'time slot'),
    RoomId: reference(draw, ids.Rooms, 'room'),
    SessionTypeId: reference(draw, ids.SessionTypes, 'type'),
    ...speakers,
    Links: links(draw),
    LastModified: random.chance(0.5) ? '2031-01-01T00:00:00Z' : undefined,
    PropertyValues: random.chance(0.3) ? [obj({ Name: 'Title', Value: 'x' })] : null,
  }
}

const leaveSession = traps<Fields>('session leaves', {
  'not enabled': [1, { Enabled: false }],
  'not visible': [1, { VisibleToAnonymousUsers: false }],
})

function makers({ options, ids }: Pick<SourceA, 'options' | 'ids'>): readonly Maker[] {
  const spell = { idKey: 'Id', spell: spellKeys }
  return [
    {
      resource: 'Sessions',
      prefix: 's',
      make: (draw) => ({ ...session(draw, ids), Extra: makeExtra(draw, true) }),
      leave: leaveSession,
      ...spell,
    },
    { resource: 'TimeSlots', prefix: 't', make: (draw) => timeSlot(draw, options), ...spell },
    { resource: 'Rooms', prefix: 'r', make: room, ...spell },
    { resource: 'Tracks', prefix: 'k', make: (draw) => ({ Title: optionalText(draw) }), ...spell },
    { resource: 'SessionTypes', prefix: 'y', make: typeNames, ...spell },
    {
      resource: 'Users',
      prefix: 'u',
      make: (draw) => ({ ...makeUser(draw, ids.Sessions), Extra: makeExtra(draw, true) }),
      leave: () => ({ IsPending: true }),
      ...spell,
    },
  ]
}

export function generateA(draw: Draw, options: OptionsA): SourceA {
  const { random } = draw
  const ids: IdsOfA = {
    Sessions: makeIds(draw, 20 + random.below(15), 's'),
    TimeSlots: makeIds(draw, 25 + random.below(10), 't'),
    Rooms: makeIds(draw, 10, 'r'),
    Tracks: makeIds(draw, 8, 'k'),
    SessionTypes: makeIds(draw, 12, 'y'),
    Users: makeIds(draw, 25 + random.below(15), 'u'),
  }
  return { options, ids, resources: makeResources(draw, makers({ options, ids }), ids) }
}

export function changeA(draw: Draw, source: SourceA, options: OptionsA): SourceA {
  const isOther = options !== source.options
  const resources = changeResources(draw, makers({ ...source, options }), source.resources, isOther)
  return { ...source, options, resources: draw.random.chance(0.5) ? signedAgain(draw, resources) : resources }
}
