import { describe, expect, test } from 'vitest'
import { complaints, load, refuses, withIntegration } from './samples.ts'

const field = (line: string, what: string) =>
  [
    withIntegration(`fields: {agenda: {${line}}}`),
    `event-sync.yaml:8: integrations[0].fields.agenda${what}`,
  ] as const
const rule = (line: string, what: string) =>
  [
    withIntegration(`exclude: [{name: x, ${line}}]`),
    `event-sync.yaml:8: integrations[0].exclude[0]${what}`,
  ] as const
/** Makes a test case in which an exclude rule for attendees has an invalid condition on `company`. */
const condition = (value: string, what: string) =>
  rule(`content: attendees, where: {company: ${value}}`, `.where.company${what}`)

const noName = 'is no name of a field; use a small letter, then up to 39 letters and digits'
const isTaken = 'is a field of the platform already; give yours another name'
const noText = 'must be text that is not blank and has no control characters, got'
const noField = 'has no field of this name'
const value = 'text, a finite number, true or false'
const anyCondition = `must be ${value}, a list of these, or a mapping with one of contains, startsWith, endsWith, missing, got`
const ofAttendees =
  'nown in attendees: uniqueId, firstName, lastName, emailAddress, title, company, biography, phone, personalAgenda'

describe('custom fields that are refused', () => {
  refuses([
    field('Level: X', `.Level: "Level" ${noName}`),
    field('x-y: X', `.x-y: "x-y" ${noName}`),
    ...['name', 'company', 'uniqueId', 'custom'].map((name) =>
      field(`${name}: X`, `.${name}: ${name} ${isTaken}`),
    ),
    field('aB: X, ab: Y', '.ab: ab and aB differ only in case; give one of them another name'),
    field('a: ""', `.a: ${noText} ""`),
    field('a: A..B', '.a: must be a key, or keys with a dot between each two, got "A..B"'),
    field('a: 42', '.a: must be a key of the record as text, or a mapping of from and as, got 42'),
    field('a:', '.a: has no value; give it one or remove the key'),
    field('a: {from: [x]}', `.a.from: ${noText} a list`),
    field('a: {from: X, as: nubmer}', '.a.as: must be text, number, flag, url or list, got "nubmer"'),
    field('a: {from: X, az: text}', '.a.az: unknown key; did you mean as?'),
    [
      withIntegration('fields: {agenda: [level]}'),
      'event-sync.yaml:8: integrations[0].fields.agenda: must be a mapping of names and keys of the record, such as {level: Level}, got a list',
    ],
    [
      withIntegration('fields: {rooms: {a: X}}'),
      'event-sync.yaml:8: integrations[0].fields.rooms: unknown key; the keys here are agenda, speakers, attendees',
    ],
  ])
})

describe('rules that are refused', () => {
  const both = 'where: {name: a}, unless: {name: a}'
  refuses([
    [
      withIntegration('exclude: [{name: Test_People, content: agenda, where: {name: a}}]'),
      'event-sync.yaml:8: integrations[0].exclude[0].name: must be 1 to 63 of a-z, 0-9 and -, and not begin with -, got "Test_People"',
    ],
    rule(
      'content: attendee, where: {name: a}',
      '.content: must be agenda, speakers or attendees, or a list of these, got "attendee"',
    ),
    rule('content: [foo], where: {name: a}', '.content[0]: must be agenda, speakers or attendees, got "foo"'),
    rule('content: [], where: {name: a}', '.content: must name at least one of agenda, speakers, attendees'),
    rule(
      'content: {}, where: {name: a}',
      '.content: must be agenda, speakers or attendees, or a list of these, got a mapping',
    ),
    rule(`content: agenda, ${both}`, ': needs exactly one of where and unless'),
    rule('content: agenda', ': needs exactly one of where and unless'),
    rule('content: agenda, wher: {name: a}', '.wher: unknown key; did you mean where?'),
    rule('content: agenda, where: {}', '.where: must name at least one field'),
    rule(
      'content: agenda, unless: name',
      '.unless: must be a mapping of fields and what each must be, such as {company: TEST}, got "name"',
    ),
    rule(
      'content: attendees, where: {compny: a}',
      `.where.compny: attendees ${noField}; did you mean company? K${ofAttendees}`,
    ),
    rule(
      'content: attendees, unless: {custom.nope: a}',
      `.unless.custom.nope: attendees ${noField}; k${ofAttendees}`,
    ),
    rule(
      'content: [attendees, agenda], where: {company: a}',
      `.where.company: agenda ${noField}; known in agenda and attendees: uniqueId`,
    ),
    rule(
      'content: [attendees, agenda], where: {filterGrup: a}',
      '.where.filterGrup: agenda and attendees have no field of this name; known in agenda and attendees: uniqueId',
    ),
    condition('" \\0"', ': must not be blank; use {missing: true} for what is not there'),
    condition('', ': has no value; give it one or remove the key'),
    condition('[]', ': must name at least one value'),
    condition('[a, null]', `[1]: must be ${value}, got nothing`),
    condition('[a, [b]]', `[1]: must be ${value}, got a list`),
    condition('.inf', `: ${anyCondition} Infinity`),
    condition('.nan', `: ${anyCondition} NaN`),
    condition('{}', ': must have exactly one of contains, startsWith, endsWith, missing'),
    condition(
      '{contains: a, missing: true}',
      ': must have exactly one of contains, startsWith, endsWith, missing',
    ),
    condition(
      '{startWith: a}',
      '.startWith: unknown key; did you mean startsWith? Known here: contains, startsWith, endsWith, missing',
    ),
    condition('{contains: {a: b}}', `.contains: must be ${value}, or a list of these, got a mapping`),
    condition('{missing: "yes"}', '.missing: must be true or false, got "yes"'),
  ])
})

test('all mistakes in custom fields and exclude rules are reported at once, and each is reported once', () => {
  const yaml = withIntegration(`content: [agenda, agenda, rooms]
    fields:
      agenda:
        Level: {form: Level}
        name: Title
        diet: {as: date}
    exclude:
      - {name: a, content: agenda, where: {custom.diet: x, custom.dite: y}}
      - {name: a, content: agenda, where: {company: x}, unless: {startTime: [null]}}
      - a`)
  const of = 'integrations[0]'
  const inAgenda =
    'nown in agenda: uniqueId, name, startTime, endTime, description, location, sessionTracks, filterGroup, subFilters, speakerIds, linkUrls, custom.Level, custom.name, custom.diet'
  expect(complaints(yaml)).toStrictEqual([
    `event-sync.yaml:8: ${of}.content[1]: "agenda" is in the list twice`,
    `event-sync.yaml:8: ${of}.content[2]: must be agenda, speakers or attendees, got "rooms"`,
    `event-sync.yaml:11: ${of}.fields.agenda.Level.from: is missing`,
    `event-sync.yaml:11: ${of}.fields.agenda.Level: "Level" ${noName}`,
    `event-sync.yaml:11: ${of}.fields.agenda.Level.form: unknown key; did you mean from?`,
    `event-sync.yaml:12: ${of}.fields.agenda.name: name ${isTaken}`,
    `event-sync.yaml:13: ${of}.fields.agenda.diet.from: is missing`,
    `event-sync.yaml:13: ${of}.fields.agenda.diet.as: must be text, number, flag, url or list, got "date"`,
    `event-sync.yaml:15: ${of}.exclude[0].where.custom.dite: agenda ${noField}; did you mean custom.diet? K${inAgenda}`,
    `event-sync.yaml:16: ${of}.exclude[1]: needs exactly one of where and unless`,
    `event-sync.yaml:16: ${of}.exclude[1].name: "a" is the name of exclude[0] too; each rule needs its own`,
    `event-sync.yaml:16: ${of}.exclude[1].where.company: agenda ${noField}; k${inAgenda}`,
    `event-sync.yaml:16: ${of}.exclude[1].unless.startTime[0]: must be ${value}, got nothing`,
    `event-sync.yaml:17: ${of}.exclude[2]: must be a mapping of keys and values`,
  ])
})

test('numbers in exclude rules, and in their names, become the text that JavaScript prints for them', () => {
  const rules = '{name: 7, content: [speakers, agenda], unless: {uniqueId: [1.50, 1E5, " x ", true]}}'
  expect(load(withIntegration(`exclude: [${rules}]`)).integrations[0]?.exclude).toStrictEqual([
    {
      name: '7',
      contents: ['agenda', 'speakers'],
      isUnless: true,
      fields: { uniqueId: { form: 'is', values: ['1.5', '100000', 'x', 'true'] } },
    },
  ])
})

test.each([
  ['{contains: [a, 3]}', { form: 'contains', values: ['a', '3'] }],
  ['{startsWith: a}', { form: 'startsWith', values: ['a'] }],
  ['{endsWith: a}', { form: 'endsWith', values: ['a'] }],
  ['{missing: false}', { form: 'missing', isMissing: false }],
])('%s is a valid condition of an exclude rule', (yaml, made) => {
  const [integration] = load(
    withIntegration(`exclude: [{name: x, content: agenda, where: {name: ${yaml}}}]`),
  ).integrations
  expect(integration?.exclude?.[0]?.fields.name).toStrictEqual(made)
})
