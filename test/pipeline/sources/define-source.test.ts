import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  content,
  defineSource,
  EXACT_KEYS,
  id,
  instant,
  option,
  optional,
  readTime,
  required,
  resource,
  text,
  time,
  uniqueId,
} from '../../../pipeline/library/source.ts'
import { isSource, type Reader } from '../../../pipeline/sources/define-source.ts'

const guests = resource('guests', 'fair_guests', EXACT_KEYS, id('id', { isPlain: true }), {
  first_name: text('first'),
  last_name: text('last'),
  email: text(option('email', 'email', 'Key of the e-mail address.')),
})
const other = resource('guests', 'other_guests', EXACT_KEYS, id('id'), {})

/** Declares guests with a further column, whose name or notes are wrong. */
const guestsWith = (columns: object) =>
  resource('guests', 'fair_guests', EXACT_KEYS, id('id'), columns as { email: ReturnType<typeof text> })

const reader: Reader = {
  within: new URL('https://source.example/'),
  readToEnd: async () => ({ proof: 'unpaged array', declared: null }),
}

const attendees = {
  alias: 'guest',
  uniqueId: uniqueId({ column: guests.id }, 'guests.id', 'The id.'),
  fields: {
    firstName: required(guests.columns.first_name, 'guests.first'),
    lastName: required(guests.columns.last_name, 'guests.last'),
    emailAddress: required(guests.columns.email, 'guests.email'),
  },
  exclude: [],
}

const definition = {
  name: 'fair',
  title: 'Fair',
  resources: [guests],
  contents: [content('attendees', guests, attendees)],
  people: { records: guests, address: guests.columns.email },
  fillIn: 'Fill it in.',
  connect: () => reader,
}

describe('the definition of a source', () => {
  test('people in two resources are refused, because forget would erase them only in one', () => {
    const hosts = resource('hosts', 'fair_hosts', EXACT_KEYS, id('id', { isPlain: true }), {})
    const people = { records: hosts, address: null }
    expect(() => defineSource({ ...definition, resources: [guests, hosts], people })).toThrow(
      'attendees is made of guests, but people.records is hosts; all people must be in one resource',
    )
  })

  test('an agenda that sends sessions with unusable times is refused', () => {
    const talks = resource('talks', 'fair_talks', EXACT_KEYS, id('id'), {
      title: text('title'),
      ...time('start_time', ['start'], ([start], timeZone) => readTime(start, timeZone)),
      ...time('end_time', ['end'], ([end], timeZone) => readTime(end, timeZone)),
    })
    const agenda = content('agenda', talks, {
      alias: 'talk',
      uniqueId: uniqueId({ column: talks.id }, 'talks.id', 'The id.'),
      fields: {
        name: required(talks.columns.title, 'talks.title'),
        startTime: instant(talks.columns.start_time, 'talks.start', 'The start.'),
        endTime: instant(talks.columns.end_time, 'talks.end', 'The end.'),
      },
    })
    const resources = [guests, talks]
    expect(() => defineSource({ ...definition, resources, contents: [agenda] })).toThrow(
      'add badTime to excludeLast',
    )
  })

  test('a sound definition is a source', () => {
    const source = defineSource(definition)
    expect([isSource(source), isSource({ ...source })]).toEqual([true, false])
  })

  test.each<[string, object]>([
    ['name: must be 2 to 20 of a-z and 0-9, and begin with a letter, got "My-Fair"', { name: 'My-Fair' }],
    ['title: is missing', { title: undefined }],
    ['keys.eventId: every source has this key; give yours another name', { keys: { eventId: z.string() } }],
    ['keys.fields: every source has this key; give yours another name', { keys: { fields: z.string() } }],
    ['keys.room: must be a zod schema such as z.string()', { keys: { room: 'text' } }],
    ['secrets: token is not one of its keys', { secrets: ['token'] }],
    ['resources: must name at least one resource', { resources: [] }],
    ['resources[1]: must be made by `resource`', { resources: [guests, { name: 'rooms' }] }],
    ['resources.guests: its table must be "fair_guests"', { resources: [other] }],
    ['resources: two have the name guests', { resources: [guests, guests] }],
    ...(
      [
        ['left: SQL reserves the word left; give the column another name', 'left'],
        ['Place: the name of a column must be 1 to 40 of a-z, 0-9 and _, and begin with a letter', 'Place'],
        ['source_id: the product itself has a column source_id; give yours another name', 'source_id'],
        ['reason: the product itself has a column reason; give yours another name', 'reason'],
      ] as const
    ).map(([message, name]): [string, object] => [
      `resources.guests.columns.${message}`,
      { resources: [guestsWith({ [name]: text('x') })] },
    ]),
    [
      'resources.guests.columns.email.isplain: unknown key; did you mean isPlain?',
      { resources: [guestsWith({ email: text('email', { isplain: true } as object) })] },
    ],
    [
      'resources.guests.keys.changedat: unknown key; did you mean changedAt?',
      { resources: [{ ...guests, keys: { ...EXACT_KEYS, changedat: 'changed' } }] },
    ],
    [
      'resources.guest list.name: must be 1 to 30 of a-z, 0-9 and _, and begin with a letter, got "guest list"; resources.guest list: its table must be "fair_guest list"',
      { resources: [{ ...guests, name: 'guest list' }] },
    ],
    ['contents: must name at least one content', { contents: [] }],
    ['contents: two have the name attendees', { contents: [...definition.contents, ...definition.contents] }],
    ['contents[0]: must be made by `content`', { contents: ['attendees'] }],
    [
      'people.adress: unknown key; did you mean address?',
      { people: { ...definition.people, adress: guests.columns.email } },
    ],
    [
      'people.address: must be a column of a resource, such as rooms.columns.name and not rooms.name',
      { people: { records: guests, address: 'email' } },
    ],
    ['fillin: unknown key; did you mean fillIn?', { fillin: 'Fill it in.' }],
    ['connect: must be a function', { connect: undefined }],
  ])('a definition is refused: %s', (message, change) => {
    const changed = { ...definition, ...change } as typeof definition
    expect(() => defineSource(changed)).toThrow(new Error(`source ${changed.name}: ${message}`))
  })

  test('a definition that is not an object is refused', () => {
    expect(() => defineSource(null as never)).toThrow(
      'source without a name: has no value; give it one or remove the key',
    )
  })

  test.each<[string, object | undefined]>([
    ['within: must be a URL', { within: 'https://source.example' }],
    ['readToEnd: must be a function', { readToEnd: undefined }],
    ['authorisation: unknown key; did you mean authorization?', { authorisation: async () => ({}) }],
    ['listof: unknown key; did you mean listOf?', { listof: () => 'results' }],
    ['requestCost: must be a number above 0, got "1"', { requestCost: '1' }],
  ])('a reader that `connect` returns is refused: %s', (message, change) => {
    const source = defineSource({ ...definition, connect: () => ({ ...reader, ...change }) as Reader })
    const config = { type: 'fair', url: 'https://source.example', eventId: '1' } as never
    expect(() => source.connect(config, 'one', { secrets: {} } as never)).toThrow(
      `\`connect\` of Fair returned a reader that cannot be used: ${message}: correct the file of the source`,
    )
  })
})

const hosts = resource('hosts', 'fair_hosts', EXACT_KEYS, id('id'), { name: text('name') })
const host = { resource: hosts, by: guests.columns.last_name }

describe('the declaration of a content', () => {
  test.each<[string, object]>([
    ['excludelast: unknown key; did you mean excludeLast?', { excludelast: [] }],
    ['alias: must be 1 to 20 of a-z, 0-9 and _, and begin with a letter, got "Guest"', { alias: 'Guest' }],
    [
      'lookups.Host: must be 1 to 20 of a-z, 0-9 and _, and begin with a letter, got "Host"',
      { lookups: { Host: host } },
    ],
    [
      'lookups.host.dangeling: unknown key; did you mean dangling?',
      { lookups: { host: { ...host, dangeling: 'x' } } },
    ],
    [
      'exclude[0].isattested: unknown key; did you mean isAttested?',
      {
        exclude: [
          { reason: 'cancelled', when: () => null, why: 'a', todo: 'b', columns: [], isattested: true },
        ],
      },
    ],
    [
      'exclude[0]: must have why, todo and columns, or an explanation',
      { exclude: [{ reason: 'cancelled', when: () => null, why: 'a' }] },
    ],
    [
      'fields.lastName.missing: tod: unknown key; did you mean todo?',
      {
        fields: {
          ...attendees.fields,
          lastName: required(guests.columns.last_name, 'guests.last', { tod: 'Ask.' } as object),
        },
      },
    ],
  ])('a declaration is refused: %s', (message, change) => {
    expect(() => content('attendees', guests, { ...attendees, ...change })).toThrow(
      new Error(`content attendees: ${message}`),
    )
  })

  test('a content that the product does not have is refused', () => {
    expect(() => content('atendees' as 'attendees', guests, attendees)).toThrow(
      'content atendees: name: must be agenda, speakers or attendees, got "atendees"',
    )
  })

  test.each<[string, object]>([
    ['uses the alias "synced" twice', { lookups: { synced: host } }],
    ['uses the alias "guest" twice', { lookups: { guest: host } }],
    [
      'would have two columns "last_name"',
      {
        lookups: { last: host },
        fields: { ...attendees.fields, company: optional(hosts.columns.name, 'hosts.name') },
      },
    ],
  ])('names that SQL cannot tell apart are refused: attendees %s', (message, change) => {
    expect(() => content('attendees', guests, { ...attendees, ...change })).toThrow(`attendees ${message}`)
  })
})
