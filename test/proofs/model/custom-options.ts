import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, type JsonObject, num, obj } from '../../harness/json.ts'
import type { Content } from './options.ts'

export interface CustomDefinition {
  readonly from: string
  readonly as?: 'text' | 'number' | 'flag' | 'url' | 'list'
}

export type CustomOptions = { readonly [Of in Content]?: Readonly<Record<string, CustomDefinition>> }

export interface RuleOptions {
  readonly name: string
  readonly content: Content | readonly Content[]
  readonly where?: Readonly<Record<string, unknown>>
  readonly unless?: Readonly<Record<string, unknown>>
}

const EXTRA: Readonly<Record<string, CustomDefinition>> = {
  level: { from: 'Extra.Level' },
  aB: { from: 'Extra.Level', as: 'list' },
  aa: { from: 'Extra.Score', as: 'text' },
  score: { from: 'Extra.Score', as: 'number' },
  tags: { from: 'Extra.Tags', as: 'list' },
  ok: { from: 'Extra.Ok', as: 'flag' },
  page: { from: 'Extra.Page', as: 'url' },
  deep: { from: 'Extra.Deep.X.Y' },
  proto: { from: '__proto__.constructor' },
  whole: { from: 'Extra' },
}

const OWN: Readonly<Record<'a' | 'b', CustomOptions>> = {
  a: {
    agenda: {
      heading: { from: 'title', as: 'list' },
      room: { from: 'RoomId', as: 'number' },
      links: { from: 'LINKS', as: 'list' },
      open: { from: 'Enabled', as: 'flag' },
      speaker: { from: 'Speakers.Id' },
    },
    speakers: { talks: { from: 'SpeakingAt', as: 'list' }, roles: { from: 'roles', as: 'list' } },
    attendees: { pending: { from: 'IsPending', as: 'flag' }, picture: { from: 'PhotoLink', as: 'url' } },
  },
  b: {
    agenda: { day: { from: 'date' }, zone: { from: 'timezone' }, begins: { from: 'start_time', as: 'list' } },
    speakers: { type: { from: 'reg_type_id.value' }, typeId: { from: 'reg_type_id.id', as: 'number' } },
    attendees: { gone: { from: 'cancelled_at' }, talks: { from: 'session_ids', as: 'list' } },
  },
}

const count = traps<number>('custom fields', {
  none: [4, 0],
  few: [3, ({ random }) => 1 + random.below(3)],
  many: [3, ({ random }) => 4 + random.below(5)],
})

const CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

export function drawCustom(draw: Draw, type: 'a' | 'b'): CustomOptions {
  const fields = CONTENTS.map((content) => {
    const all = { ...EXTRA, ...OWN[type][content] }
    const names = draw.random.shuffled(Object.keys(all)).slice(0, count(draw))
    return [content, Object.fromEntries(names.map((name) => [name, all[name]]))] as const
  })
  return Object.fromEntries(fields.filter(([, ofContent]) => Object.keys(ofContent).length > 0))
}

const FIELDS: Readonly<Record<Content, string>> = {
  agenda: 'uniqueId name startTime description sessionTracks speakerIds linkUrls location',
  speakers: 'uniqueId firstName company sessionIds attendeeId title twitter imageUrl',
  attendees: 'uniqueId lastName emailAddress company personalAgenda phone',
}

const VALUES = [
  ...['a', 'E', ' the ', 's', 'ſ', 'K', 'σ', 'ς', 'ß', 'SS', 'İ', 'ı', 'é', '.', '-', '(', '0', 'ДА', 'あ'],
  ...['expert', 'BEGINNER', '2031-05', 'true', 's1', 'P3', 'https://'],
  ...[1, 2.5, 0.25, 100000, true, false],
]

type Plain = (typeof VALUES)[number]
type Condition = Plain | readonly Plain[] | Readonly<Record<string, Plain | readonly Plain[]>>

const conditionOf = traps<Condition>('condition', {
  value: [3, ...VALUES],
  'list of values': [3, ({ random }) => random.shuffled(VALUES).slice(0, 1 + random.below(4))],
  contains: [3, ({ random }) => ({ contains: random.pick(VALUES) })],
  startsWith: [2, ({ random }) => ({ startsWith: random.shuffled(VALUES).slice(0, 2) })],
  endsWith: [2, ({ random }) => ({ endsWith: random.pick(VALUES) })],
  // Almost every text contains one of these, so that rules also exclude sessions, which are few.
  'contains, of almost every text': [3, { contains: ['0', 'e', 's'] }],
  missing: [1, { missing: true }],
  'not missing': [1, { missing: false }],
})

const rules = traps<number>('rules', {
  none: [6, 0],
  one: [2, 1],
  'two or three': [2, ({ random }) => 2 + random.below(2)],
})

const ruleKind = traps<'where' | 'unless'>('rule', { where: [3, 'where'], unless: [1, 'unless'] })

export function drawExclude(draw: Draw, custom: CustomOptions): readonly RuleOptions[] {
  const { random } = draw
  return Array.from({ length: rules(draw) }, (_, index): RuleOptions => {
    const contents = random.chance(0.2)
      ? ['speakers' as const, 'attendees' as const]
      : [random.pick(['agenda' as const, ...CONTENTS])]
    const [first = 'agenda'] = contents
    const own = Object.keys(custom[first] ?? {}).map((name) => `custom.${name}`)
    const known =
      contents.length > 1 ? ['uniqueId', 'firstName', 'company'] : [...FIELDS[first].split(' '), ...own]
    const fields = random.shuffled(known).slice(0, random.chance(0.7) ? 1 : 2)
    const conditions = Object.fromEntries(fields.map((field) => [field, conditionOf(draw)]))
    const name = `rule-${index}`
    return { name, content: contents.length > 1 ? contents : first, [ruleKind(draw)]: conditions }
  })
}

const member = (name: string, ways: readonly Json[]) => traps<Json>(`Extra: ${name}`, { any: [1, ...ways] })

const MEMBERS = {
  Level: member('Level', [
    ...[
      'Expert',
      '  beginner ',
      '',
      ' ',
      null,
      true,
      '=cmd',
      "'quoted",
      'ΣΑΣ',
      'Straße',
      'a\0b',
      '\0',
      '\uD800',
    ],
    ...[num(3), num('1E5'), num('1.0'), obj({}), []],
  ]),
  Score: member('Score', [
    ...['1', '0.25', '-12', '1.5E2', '2e-7', '-0', '123456789012345678901'].map(num),
    ...['2.5', '1e3', '007', '+5', '.5', '1,000', '5\0', '9'.repeat(1000), '1e1001', '1e-0001', ' 8 ', '--1'],
    ...[true, null, [], obj({ a: num(1) })],
  ]),
  Tags: member('Tags', [
    ...[
      ['a', 'b', 'a'],
      [null, '', ' '],
      ['x', true, obj({}), ['y']],
      ['a; b', 'c\\d'],
    ],
    ...[[num(1), num('1.0'), '1'], ['a\0', 'b'], ['\0']],
    ...['one', '["json"]', num(5), [], true, obj({}), null],
  ]),
  Ok: member('Ok', [true, false, 'true', 'No', num(1), num(0), 'ok', num(7), null, '', obj({})]),
  Page: member('Page', [
    ...[
      'https://x.example/a?sig=0',
      'https://x.example/a?sig=0&v=1',
      'HTTP://y.example',
      'ftp://z.example',
      ' https://t.example ',
      'https://a b',
    ],
    ...['https://n\0.example', num(5), null, obj({ Url: 'https://x.example' })],
  ]),
  Deep: member('Deep', [
    ...[obj({ Y: 'deep' }), obj({ y: 'folded' }), obj({ Y: null }), obj({})].map((X) => obj({ X })),
    ...[[obj({ Y: 'no' })], [], null, 'text', ' ', num(7), false].map((X) => obj({ X })),
    ...[null, 'x', []],
  ]),
}

/** Makes the value of the record's key `Extra`, from which custom fields are read. */
export const makeExtra = traps<Json | undefined, [boolean]>('Extra', {
  absent: [1, undefined],
  'no object': [1, null, '', 'text', num(7), true, [], [obj({})]],
  object: [6, (draw) => objectOf(draw, false)],
  'object, spelled anyhow': [3, (draw, folds) => objectOf(draw, folds)],
})

function objectOf(draw: Draw, isSpelled: boolean): JsonObject {
  const { random } = draw
  const spelled = (name: string) =>
    isSpelled ? random.pick([name, name.toLowerCase(), name.toUpperCase()]) : name
  const members = Object.entries(MEMBERS).flatMap(([name, make]): (readonly [string, Json])[] => {
    if (random.chance(0.1)) return []
    const value = make(draw)
    return isSpelled && random.chance(0.3)
      ? [
          [name.toLowerCase(), random.pick<Json>([null, '', value])],
          [name.toUpperCase(), make(draw)],
        ]
      : [[spelled(name), value]]
  })
  return { members: random.shuffled(members) }
}
