import { expect, test } from 'vitest'
import { sampleTraps } from '../../../pipeline/demo/sample-event.ts'
import { shownByA } from './evidence-a.ts'
import { shownByB } from './evidence-b.ts'
import { isObject } from './records.ts'

const shownBy: Readonly<Record<string, readonly unknown[]>> = { ...shownByA, ...shownByB }

test('every trap has its evidence here, and the other way round', () => {
  expect(Object.keys(shownBy).sort()).toEqual(Object.keys(sampleTraps).sort())
})

test.each(Object.entries(sampleTraps))('%s: %s', (name) => {
  const count = shownBy[name]?.length ?? 0
  if (name === 'a-record-without-id') expect(count).toBe(1)
  else expect(count).toBeGreaterThanOrEqual(2)
})

test.each([
  ['a-facebook-forms', 5],
  ['a-linkedin-forms', 4],
  ['a-session-formula', 5],
  ['a-one-to-one-meeting', 3],
  ['b-sessions-forms', 4],
  ['b-cancelled-not', 4],
  ['b-cancelled', 50],
  ['b-twitter-forms', 4],
  ['b-timezone-own', 3],
  ['b-timezone-junk', 3],
])('%s shows in %i records or more', (name, count) => {
  expect(shownBy[name]?.length).toBeGreaterThanOrEqual(count)
})

test('two ids differ in digits that a double does not keep', () => {
  const ids = (shownBy['id-digits'] ?? []).map((record) =>
    isObject(record) ? JSON.stringify(record.Id) : '',
  )
  expect(new Set(ids).size).toBeGreaterThan(new Set(ids.map(Number)).size)
})

test('the clock changes where the traps say so', () => {
  const hourIn = (utc: string) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/New_York',
      hour: '2-digit',
      minute: '2-digit',
    }).format(new Date(utc))
  expect([hourIn('2031-03-09T06:59:00Z'), hourIn('2031-03-09T07:00:00Z')]).toEqual(['01:59', '03:00'])
  expect([hourIn('2031-11-02T05:30:00Z'), hourIn('2031-11-02T06:30:00Z')]).toEqual(['01:30', '01:30'])
})
