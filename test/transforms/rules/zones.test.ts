import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WINDOWS_TO_IANA_MAP } from 'windows-iana'
import { RAILS_ZONES } from '../../../transforms/rules/rails-zones.ts'
import { findZone, instantsOf, isTimeZone, localTime, type Zone } from '../../../transforms/rules/zones.ts'

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
  ])('%s is recognised as the name of a time zone', (name) => {
    expect(isTimeZone(name)).toBe(true)
  })

  test.each([
    ...['', '+02:00', '+02', 'UTC+2', 'GMT+5', 'GMT+02:00', 'Europe/Bonn', 'Europe/Berlin ', 'Europe'],
    ...['Asia/\u212aolkata', 'Etc/Unknown', '__proto__', 'constructor'],
    // ICU accepts these names, but IANA does not have them.
    ...['PST', 'BST', 'IST', 'CST', 'JST', 'bst', 'SystemV/PST8'],
  ])('"%s" is not recognised as the name of a time zone', (name) => {
    expect(isTimeZone(name)).toBe(false)
  })

  test('the name of a time zone has the same meaning in upper and lower case, whichever is read first', () => {
    expect(instantsOf(0, zone('ASIA/TOKYO')).all).toEqual([-9 * HOUR_MS])
    expect(instantsOf(0, zone('Asia/Tokyo')).all).toEqual([-9 * HOUR_MS])
  })
})

const HOUR_MS = 3_600_000
const SUMMER_MS = Date.UTC(2031, 6, 1)

function zone(name: string): Zone {
  const found = findZone(name)
  if (found === null) throw new Error(`${name} is not a zone`)
  return found
}

describe('names of zones in sources [R66]', () => {
  // The expected offsets on 1 July 2031, in hours.
  test.each<[name: string, iana: string, hours: number]>([
    ['Europe/Berlin', 'Europe/Berlin', 2],
    ['europe/berlin', 'europe/berlin', 2],
    ['EST5EDT', 'EST5EDT', -4],
    ['EST', 'EST', -5],
    ['mst', 'mst', -7],
    ['HST', 'HST', -10],
    ['GMT', 'GMT', 0],
    ['Etc/GMT+5', 'Etc/GMT+5', -5],
    ['Etc/GMT-14', 'Etc/GMT-14', 14],
    ['Eastern Standard Time', 'America/New_York', -4],
    ['eastern standard time', 'America/New_York', -4],
    ['W. Europe Standard Time', 'Europe/Berlin', 2],
    ['Tokyo Standard Time', 'Asia/Tokyo', 9],
    ['US Mountain Standard Time', 'America/Phoenix', -7],
    ['India Standard Time', 'Asia/Calcutta', 5.5],
    ['Eastern Time (US & Canada)', 'America/New_York', -4],
    ['Berlin', 'Europe/Berlin', 2],
    ['Tokyo', 'Asia/Tokyo', 9],
    ['new delhi', 'Asia/Kolkata', 5.5],
    ["Nuku'alofa", 'Pacific/Tongatapu', 13],
    ['Edinburgh', 'Europe/London', 1],
    ['(GMT+01:00) Berlin', 'Europe/Berlin', 2],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York', -4],
    ['EDT', '-04:00', -4],
    ['CST', '-06:00', -6],
    ['CDT', '-05:00', -5],
    ['MDT', '-06:00', -6],
    ['PST', '-08:00', -8],
    ['pdt', '-07:00', -7],
    ['UT', 'UTC', 0],
    ['Z', 'UTC', 0],
    ['UTC-5', '-05:00', -5],
    ['utc-5', '-05:00', -5],
    ['-05:00', '-05:00', -5],
    ['GMT+2', '+02:00', 2],
    ['GMT-0330', '-03:30', -3.5],
    ['UTC+05:30', '+05:30', 5.5],
    ['UTC +5:45', '+05:45', 5.75],
    ['+0530', '+05:30', 5.5],
    ['+05', '+05:00', 5],
    ['UTC\u22124', '-04:00', -4],
    ['+14:00', '+14:00', 14],
    ['UTC-11', '-11:00', -11],
    ['-00:00', 'UTC', 0],
  ])('%s is %s', (name, iana, hours) => {
    expect(zone(name).name).toBe(iana)
    expect(zone(name).offsetMsAt(SUMMER_MS) / HOUR_MS).toBe(hours)
  })

  test.each([
    ...['', 'Eastern Time', 'Europe/Bonn', 'BST', 'IST', 'CEST', 'JST', 'A', 'Europe', 'Berlin time'],
    ...[
      '2',
      '5:30',
      '+5:3',
      '+530',
      '-300',
      '+05:60',
      '+14:01',
      '+23:59',
      'UTC+',
      'Z+1',
      'GMT5',
      '+02:00:00',
    ],
    ...[
      '(UTC+01:00) Amsterdam, Berlin',
      '(GMT+01:00)',
      '(CET) Berlin',
      'SystemV/PST8',
      '__proto__',
      'constructor',
    ],
  ])('"%s" is not recognised as a time zone', (name) => {
    expect(findZone(name)).toBeNull()
  })

  test('a text of five million characters is not recognised as a time zone', () => {
    expect(findZone('x'.repeat(5_000_000))).toBeNull()
  })

  test('every name of a time zone in Windows and Rails is known', () => {
    const names = [
      ...WINDOWS_TO_IANA_MAP.map(({ windowsName }) => windowsName),
      ...RAILS_ZONES.map(([name]) => name),
    ]
    expect(names.length).toBeGreaterThan(290)
    expect(names.filter((name) => findZone(name) === null)).toEqual([])
  })
})

const names = [
  ...Intl.supportedValuesOf('timeZone'),
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]

/** Returns the local time in a zone, in seconds since 1970 as if it were UTC. */
function shownBy(timeZone: string, instantSeconds: number): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(instantSeconds * 1000).replace(' ', 'T')}Z`) / 1000
}

describe('the instants of a local time', () => {
  // The instants are from 1850 to 2100, to the second. These instants include local mean times, moves of the
  // date line and every summer time.
  const instantSeconds = fc.integer({
    min: Date.UTC(1850, 0, 1) / 1000,
    max: Date.UTC(2100, 0, 1) / 1000,
  })

  test('if clocks show a local time at an instant, this instant is one of the instants of the local time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), instantSeconds, (timeZone, seconds) => {
        const { all, isSkipped } = instantsOf(shownBy(timeZone, seconds) * 1000, zone(timeZone))
        expect(all).toContain(seconds * 1000)
        expect(all.length).toBeLessThanOrEqual(2)
        expect(isSkipped).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('clocks show the local time at each of its instants, and the earlier instant comes first', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), instantSeconds, (timeZone, wallSeconds) => {
        const { all, isSkipped } = instantsOf(wallSeconds * 1000, zone(timeZone))
        for (const instant of isSkipped ? [] : all)
          expect(shownBy(timeZone, instant / 1000)).toBe(wallSeconds)
        expect(all).toEqual(all.toSorted((a, b) => a - b))
        expect(new Set(all).size).toBe(all.length)
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  ['2031-05-04T09:00:00Z', 'Europe/Berlin', '2031-05-04T11:00:00'],
  ['2031-10-26T00:30:00Z', 'Europe/Berlin', '2031-10-26T02:30:00'],
  ['2031-10-26T01:30:00Z', 'Europe/Berlin', '2031-10-26T02:30:00'],
  ['2031-05-04T22:30:00Z', '+05:30', '2031-05-05T04:00:00'],
  ['0001-01-01T00:00:00Z', 'Asia/Tokyo', '0001-01-01T09:18:59'],
  ['0001-01-01T00:00:00Z', '-05:00', null],
  ['9999-12-31T23:59:59Z', 'Asia/Tokyo', null],
  ['2031-05-04T09:00:00Z', 'Nowhere/Town', null],
  ['soon', 'Europe/Berlin', null],
])('the local time of %s in %s is %s', (instant, zoneName, expected) => {
  expect(localTime(instant, zoneName)).toBe(expected)
})
