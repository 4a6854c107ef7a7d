import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantsOf, isTimeZone } from '../../../transforms/rules/times.ts'

describe('a time zone', () => {
  test.each([
    ...[
      'Europe/Berlin',
      'europe/berlin',
      'America/Port-au-Prince',
      'US/Eastern',
      'Asia/Calcutta',
      'Europe/Kyiv',
    ],
    ...['UTC', 'GMT', 'GMT+0', 'EST', 'EST5EDT', 'GB', 'Etc/GMT+5', 'Etc/GMT-14'],
  ])('%s is a name', (name) => {
    expect(isTimeZone(name)).toBe(true)
  })

  test.each([
    ...['', '+02:00', '+02', 'UTC+2', 'GMT+5', 'GMT+02:00', 'Europe/Bonn', 'Europe/Berlin ', 'Europe'],
    ...['Asia/\u212aolkata', 'Etc/Unknown', '__proto__', 'constructor'],
    // ICU takes these, and IANA does not have them.
    ...['PST', 'BST', 'IST', 'CST', 'JST', 'bst', 'SystemV/PST8'],
  ])('"%s" is no name', (name) => {
    expect(isTimeZone(name)).toBe(false)
  })

  test('it is one name in any case, whichever was asked for first', () => {
    expect(instantsOf(0, 'ASIA/TOKYO')).toEqual([-9 * 3_600_000])
    expect(instantsOf(0, 'Asia/Tokyo')).toEqual([-9 * 3_600_000])
  })
})

const names = [
  ...Intl.supportedValuesOf('timeZone'),
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]

/** What the clocks of a zone show; seconds since 1970 as if it were UTC. */
function shownBy(timeZone: string, instantSeconds: number): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(instantSeconds * 1000).replace(' ', 'T')}Z`) / 1000
}

describe('the instants of a local time', () => {
  // 1850 to 2100, to the second: local mean times, day-line moves and every summer time.
  const instantSeconds = fc.integer({
    min: Date.UTC(1850, 0, 1) / 1000,
    max: Date.UTC(2100, 0, 1) / 1000,
  })

  test('an instant is among those of the local time that its clocks show', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), instantSeconds, (timeZone, seconds) => {
        const instants = instantsOf(shownBy(timeZone, seconds) * 1000, timeZone)
        expect(instants).toContain(seconds * 1000)
        expect(instants.length).toBeLessThanOrEqual(2)
      }),
      { numRuns: 300 },
    )
  })

  test('each instant shows the local time, the earlier first', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), instantSeconds, (timeZone, wallSeconds) => {
        const instants = instantsOf(wallSeconds * 1000, timeZone)
        for (const instant of instants) expect(shownBy(timeZone, instant / 1000)).toBe(wallSeconds)
        expect(instants).toEqual(instants.toSorted((a, b) => a - b))
        expect(new Set(instants).size).toBe(instants.length)
      }),
      { numRuns: 300 },
    )
  })
})
