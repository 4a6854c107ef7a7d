import { expect, test } from 'vitest'
import { messageOf } from '../../../pipeline/runtime/message-of.ts'

const ofDatabase = (code: string, message: string) => Object.assign(new Error(message), { code })

test.each([
  [
    '22P02',
    'invalid input syntax for type integer: "Ada "the" Of"',
    'invalid input syntax for type integer: "…"',
  ],
  ['22P02', 'ungültige Eingabesyntax für Typ integer: »Ada«', 'ungültige Eingabesyntax für Typ integer: "…"'],
  [
    '22P02',
    'syntaxe en entrée invalide pour le type integer : « Ada »',
    'syntaxe en entrée invalide pour le type integer : "…"',
  ],
  ['22008', 'date/time field value out of range: "1815-13-10"', 'date/time field value out of range: "…"'],
  ['42P01', 'relation "staging.b_users" does not exist', 'relation "staging.b_users" does not exist'],
])('messages of PostgreSQL are shown without values, %s: %s', (code, message, told) => {
  expect(messageOf(ofDatabase(code, message))).toBe(told)
})

test('a value that also occurs in the text of the query is shown', () => {
  const error = ofDatabase('22P02', 'invalid input syntax for type integer: "ten"')
  expect(messageOf(error, "select 'ten'::int")).toBe(error.message)
  expect(messageOf(error, 'select last_name::int')).not.toContain('ten')
})

test('a write into a read-only database says which database to name, except if the user wrote the query', () => {
  const error = ofDatabase('25006', 'cannot execute UPDATE in a read-only transaction')
  expect(messageOf(error)).toContain('name the primary in `database`')
  expect(messageOf(error, 'update sync.runs set note = 1')).toBe(error.message)
})

test('messages of other errors stay unchanged', () => {
  expect([messageOf(new Error('"this" is wrong')), messageOf('that')]).toEqual(['"this" is wrong', 'that'])
})
