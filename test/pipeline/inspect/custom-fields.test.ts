import { expect, onTestFinished, test } from 'vitest'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'
import { check, sourceA, sourceB } from './check-one.ts'

type People = readonly Readonly<Record<string, unknown>>[]

/** Checks an event whose people have these extra keys, with one custom field for attendees. */
async function seenAtA(people: People, from: string) {
  const Users = people.map((person, index) => ({ ...(smallEvent.Users?.[index] as object), ...person }))
  const source = await startScriptedSource({ ...smallEvent, Users })
  const checked = await check({ ...sourceA(source.url), fields: { attendees: { diet: from } } })
  return checked.rule('fields.attendees.diet')
}

async function seenAtB(people: People, from: string) {
  const registrants = people.map((person, id) => ({ id, first_name: 'Ada', ...person }))
  const source = await startSampleSourceB({ sessions: [], registrants, regTypes: [] })
  onTestFinished(() => source.close())
  const checked = await check({ ...sourceB(source.url), fields: { attendees: { diet: from } } })
  return checked.rule('fields.attendees.diet')
}

const EMPTY = ' is empty for all 4 users: nobody filled it, or this reader may not see it'

test.each<[string, People, string, string]>([
  [
    'a misspelt key',
    [{ Dietary: 'x' }, { Dietary: null }, {}],
    'Dietry',
    '`Dietry` is in no record; `Dietary` is in 2',
  ],
  [
    'two similar keys, of which the more frequent one is suggested',
    [{ Diets: 1, Dief: 1 }, { Dief: 1 }],
    'Diet',
    '`Diet` is in no record; `Dief` is in 2',
  ],
  [
    'a misspelt key within an object',
    [{ answers: { Diet: 'x' } }, { Answers: null, ANSWERS: { Diet: 'x' } }],
    'Answers.Dieet',
    '`Answers.Dieet` is in no record; `Answers.Diet` is in 2',
  ],
  [
    'a misspelt key within an object that is a text in another record',
    [{ Answers: { Diet: 'x' } }, { Answers: 'none' }],
    'Answers.Dieet',
    '`Answers.Dieet` is in no record; `Answers.Diet` is in 1; unusable in 1',
  ],
  ['no similar key', [{}, {}, {}, {}], 'Allergies', '`Allergies` is in no record'],
  [
    'a key that may be personal data, which is not suggested',
    [{ 'Diet@': 'x', 'Diet.': 'x' }],
    'Diet',
    '`Diet` is in no record',
  ],
  ['a key in another case', [{ DIET: ' ' }, {}, {}, {}], 'Diet', `Diet${EMPTY}`],
  [
    'a key within an object that is always null',
    [{ Answers: null }, {}, {}, {}],
    'Answers.Diet',
    `Answers.Diet${EMPTY}`,
  ],
])('at Source A, the check of a custom field handles: %s', async (_, people, from, seen) => {
  expect(await seenAtA(people, from)).toMatchObject({ status: 'not checkable', seen })
})

test('if a custom field names a misspelt key, the advice names the intended key and the custom field in the configuration', async () => {
  expect(await seenAtA([{ Dietary: 'x' }], 'Dietry')).toMatchObject({
    todo: 'name `Dietary` in fields.attendees.diet',
  })
  expect(await seenAtA([{ Answers: { Diet: 'x' } }], 'Anwsers.Diet')).toMatchObject({
    todo: 'name `Answers.Diet` in fields.attendees.diet',
  })
})

test('each custom field has its own result, with its name, its path and its form', async () => {
  const sessions = (smallEvent.Sessions ?? []).map((session, at) => ({
    ...(session as object),
    Credits: at === 0 ? '1.5' : 'many',
    Level: { of: 'all' },
  }))
  const source = await startScriptedSource({ ...smallEvent, Sessions: sessions })
  const credits = { from: 'Credits', as: 'number' }
  const agenda = {
    credits,
    creditsText: 'credits',
    creditsFlag: { from: 'Credits', as: 'flag' },
    level: 'Level',
    deep: 'Level.of.it',
  }
  const checked = await check({ ...sourceA(source.url), fields: { agenda } })
  expect(checked.rule('fields.agenda.credits')).toMatchObject({
    status: 'ok',
    seen: 'Credits has a value in 1 of 2 sessions; unusable in 1',
  })
  expect(checked.rule('fields.agenda.creditsText').seen).toBe('credits has a value in 2 of 2 sessions')
  for (const [name, from, as] of [
    ['creditsFlag', 'Credits', 'flag'],
    ['level', 'Level', 'text'],
    ['deep', 'Level.of.it', 'text, and dots lead into objects only'],
  ]) {
    expect(checked.rule(`fields.agenda.${name}`)).toMatchObject({
      status: 'not checkable',
      seen: `${from} comes in 2 of 2 sessions, but never as something that can be used; it is left out`,
      todo: `see what ${from} holds; fields.agenda.${name} reads it as ${as}`,
    })
  }
  expect(checked.results.map(({ rule }) => rule.id)).not.toContain('sessions.PropertyValues')
})

test.each<[string, People, string, string]>([
  [
    'a misspelt key, which Source B does not return',
    [{ dietary: 'x' }],
    'dietry',
    '`dietry` is in no record; Source B gives only the keys that it is asked for, so another spelling cannot be seen',
  ],
  [
    'another case within an object',
    [{ answers: { Diet: 'x' } }, { answers: { Diet: null } }],
    'answers.diet',
    '`answers.diet` is in no record; `answers.Diet` is in 2',
  ],
  [
    'no similar key within an object',
    [{ answers: { Size: 'x' } }],
    'answers.diet',
    '`answers.diet` is in no record',
  ],
])('at Source B, the check of a custom field handles: %s', async (_, people, from, seen) => {
  expect(await seenAtB(people, from)).toMatchObject({ status: 'not checkable', seen })
})
