import {
  changeElements,
  type Element,
  type Fields,
  type Maker,
  makeElements,
  type Resources,
} from './elements.ts'
import { makeIds } from './id-traps.ts'
import { type Json, num, obj } from './json.ts'
import { spellKeys } from './key-traps.ts'
import { links } from './link-traps.ts'
import type { OptionsA } from './options.ts'
import { idList, reference } from './reference-traps.ts'
import { optionalText, requiredText } from './text-traps.ts'
import { changedWall, plainWall, timeOfA, type Wall } from './time-traps.ts'
import { type Draw, traps } from './traps.ts'
import { makeUser } from './user-traps.ts'

/** Ids that records of Source A can name. */
export interface IdsOfA {
  readonly Sessions: readonly string[]
  readonly TimeSlots: readonly string[]
  readonly Rooms: readonly string[]
  readonly Tracks: readonly string[]
  readonly SessionTypes: readonly string[]
  readonly Users: readonly string[]
}

export interface SourceA {
  readonly options: OptionsA
  readonly ids: IdsOfA
  readonly resources: Resources
}

const flag = (name: string, usual: Json) =>
  traps<Json | undefined>(name, {
    absent: [8, () => undefined],
    usual: [20, () => usual],
    true: [2, () => true],
    false: [3, () => false],
    'false as text': [1.5, () => 'false'],
    zero: [1.5, () => num(0)],
    null: [1.5, () => null],
  })

const enabled = flag('Enabled', true)
const visible = flag('VisibleToAnonymousUsers', true)

const status = traps<Json | undefined>('Status', {
  Accepted: [20, () => 'Accepted'],
  Waitlisted: [3, () => 'Waitlisted'],
  'in another case': [2, () => 'accepted'],
  padded: [2, () => ' Accepted\u00a0'],
  'with U+0000': [1, () => 'Acc\u0000epted'],
  none: [2, ({ random }) => random.pick([null, '', undefined])],
})

const typeTitle = traps<Json | undefined>('type title', {
  plain: [5, (draw) => optionalText(draw)],
  '1:1 meeting': [1, ({ random }) => random.pick(['1:1 Meeting', '1:1 meetings', 'One-to-one meeting'])],
  '1:1 meeting in another case, padded': [
    1,
    ({ random }) => random.pick([' 1:1 MEETING ', 'one-TO-one meeting']),
  ],
  '1:1 meeting by the option': [1.5, ({ random }) => random.pick(['Hosted buyer', 'ZWIEGESPRÄCH äö'])],
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
  'the same twice': [1, () => ({ Location: 'Hall 1', Name: ' Hall 1' })],
  neither: [1, () => ({ Location: ' ', Name: '' })],
})

const wallOfA = traps<(zone: string | undefined, draw: Draw) => Wall>('time slot on', {
  'a plain day': [8, () => (_, draw) => plainWall(draw)],
  'a clock change that skips it': [1, () => (zone, draw) => changedWall(draw, zone, 'gap')],
  'a clock change that has it twice': [2, () => (zone, draw) => changedWall(draw, zone, 'twice')],
})

const endOf = traps<(start: Wall, zone: string | undefined, draw: Draw) => Wall>('time slot ends', {
  'that night': [
    8,
    () =>
      ({ day }) => ({ day, minute: '23:30' }),
  ],
  'when it starts': [1, () => (start) => start],
  anywhere: [1, () => (_, zone, draw) => wallOfA(draw)(zone, draw)],
  'at a clock change that has it twice': [1, () => (_, zone, draw) => changedWall(draw, zone, 'twice')],
})

function timeSlot(draw: Draw, { timeZone }: OptionsA): Fields {
  const start = wallOfA(draw)(timeZone, draw)
  const end = endOf(draw)(start, timeZone, draw)
  // The same form for both as a rule: a random offset of either would make most of them end before they start.
  if (!draw.random.chance(0.6))
    return { StartTime: timeOfA(draw)(start, draw), EndTime: timeOfA(draw)(end, draw) }
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
  const speakers = idList(draw, ids.Users)
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
    Speakers: speakers.list,
    SpeakerOrder: speakers.order,
    Links: links(draw),
    LastModified: random.chance(0.5) ? '2031-01-01T00:00:00Z' : undefined,
    PropertyValues: random.chance(0.3) ? [obj({ Name: 'Title', Value: 'x' })] : null,
  }
}

const leaveSession = traps<Fields>('session leaves', {
  'not enabled': [1, () => ({ Enabled: false })],
  'not visible': [1, () => ({ VisibleToAnonymousUsers: false })],
})

function makers({ options, ids }: Pick<SourceA, 'options' | 'ids'>): readonly Maker[] {
  const spell = { idKey: 'Id', spell: spellKeys }
  return [
    { resource: 'Sessions', prefix: 's', make: (draw) => session(draw, ids), leave: leaveSession, ...spell },
    { resource: 'TimeSlots', prefix: 't', make: (draw) => timeSlot(draw, options), ...spell },
    { resource: 'Rooms', prefix: 'r', make: room, ...spell },
    { resource: 'Tracks', prefix: 'k', make: (draw) => ({ Title: optionalText(draw) }), ...spell },
    { resource: 'SessionTypes', prefix: 'y', make: typeNames, ...spell },
    {
      resource: 'Users',
      prefix: 'u',
      make: (draw) => makeUser(draw, ids.Sessions),
      leave: () => ({ IsPending: true }),
      ...spell,
    },
  ]
}

/** The first version of a random event of Source A. */
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
  const made = makers({ options, ids }).map((maker): [string, readonly Element[]] => [
    maker.resource,
    makeElements(draw, maker, ids[maker.resource as keyof IdsOfA]),
  ])
  return { options, ids, resources: Object.fromEntries(made) }
}

/** A later version of it. */
export function changeA(draw: Draw, source: SourceA, options: OptionsA): SourceA {
  const changed = makers({ ...source, options }).map((maker): [string, readonly Element[]] => [
    maker.resource,
    changeElements(draw, maker, source.resources[maker.resource] ?? [], options !== source.options),
  ])
  const resources: Resources = Object.fromEntries(changed)
  return { ...source, options, resources }
}
