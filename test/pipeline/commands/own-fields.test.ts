import { expect, test } from 'vitest'
import { complaints, sourceA } from '../config/samples.ts'

const rule = (more: object) => ({ exclude: [{ name: 'x', content: 'agenda', ...more }] })

test.each([
  ['a name of the platform', { fields: { agenda: { name: 'X' } } }],
  ['a name that is none', { fields: { agenda: { 'Big one': 'X' } } }],
  ['names that differ in case alone', { fields: { agenda: { aB: 'X', ab: 'Y' } } }],
  ['an empty part of a path', { fields: { agenda: { a: 'X..Y' } } }],
  ['another form', { fields: { agenda: { a: { from: 'X', as: 'date' } } } }],
  ['a content that is none', { fields: { rooms: { a: 'X' } } }],
  ['a rule without a condition', rule({ where: {} })],
  ['a rule with both', rule({ where: { name: 'a' }, unless: { name: 'a' } })],
  [
    'two rules of one name',
    { exclude: [...rule({ where: { name: 'a' } }).exclude, ...rule({ where: { name: 'b' } }).exclude] },
  ],
  ['a field that is none', rule({ where: { company: 'a' } })],
  ['a custom field that is none', rule({ where: { 'custom.a': 'a' } })],
  ['a blank value', rule({ where: { name: ' ' } })],
  ['an empty list', rule({ where: { name: [] } })],
  ['two forms at once', rule({ where: { name: { contains: 'a', missing: true } } })],
  ['a name in capitals', rule({ name: 'X', where: { name: 'a' } })],
])('%s is refused', (_, more) => {
  const [key = ''] = Object.keys(more)
  const lines = complaints(`${sourceA}    ${key}: ${JSON.stringify(Object.values(more)[0])}\n`)
  expect(lines).toEqual([expect.stringContaining(`integrations[0].${key}`)])
})
