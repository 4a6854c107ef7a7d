import { expect, test } from 'vitest'
import { clock, mainZone, toDays } from '../../../../loaders/packs/report/agenda.ts'
import { dayInWords } from '../../../../loaders/packs/report/html.ts'
import { ITEM } from './sample.ts'

const shown = (startTime: string, endTime: string, zone: string | null, own: string | null = null) =>
  toDays([{ ...ITEM, startTime, endTime, timeZone: own }], zone).map(
    ({ wallMs, slots: [slot] }) =>
      `${dayInWords(wallMs)} ${clock(slot?.start ?? 0)} to ${clock(slot?.end ?? 0)} ${slot?.timeZone ?? 'UTC'}`,
  )[0]

// The expected texts were computed by hand. Each case has the start, the end, the zone of the event, the zone
// of the item, and the text in the report.
test.each([
  '2031-05-04T13:00:00Z 2031-05-04T14:30:00Z America/New_York -: Sunday, 4 May 2031 09:00 to 10:30 America/New_York',
  '2031-05-04T13:00:00Z 2031-05-04T14:30:00Z - -: Sunday, 4 May 2031 13:00 to 14:30 UTC',
  '2031-05-04T13:00:00Z 2031-05-04T14:30:00Z Mars/Base -: Sunday, 4 May 2031 13:00 to 14:30 UTC',
  '2031-05-04T13:00:00Z 2031-05-04T14:30:00Z America/New_York Asia/Kolkata: Sunday, 4 May 2031 18:30 to 20:00 Asia/Kolkata',
  '2031-05-04T23:30:00Z 2031-05-05T01:00:00Z Asia/Tokyo -: Monday, 5 May 2031 08:30 to 10:00 Asia/Tokyo',
  '2031-05-04T21:00:00Z 2031-05-04T23:15:00Z Europe/Berlin -: Sunday, 4 May 2031 23:00 to 01:15 +1 Europe/Berlin',
  '2031-05-04T10:00:00Z 2031-05-07T10:00:00Z UTC -: Sunday, 4 May 2031 10:00 to 10:00 +3 UTC',
  // At 01:00Z the clocks go back from 03:00 to 02:00. Therefore the local times of an item can end where they
  // began.
  '2031-10-26T00:30:00Z 2031-10-26T01:30:00Z Europe/Berlin -: Sunday, 26 October 2031 02:30 to 02:31 Europe/Berlin',
  '0001-01-01T00:00:00Z 0001-01-01T01:00:00Z America/New_York -: Sunday, 31 December 0 19:03 to 20:03 America/New_York',
  '9999-12-31T23:30:00Z 9999-12-31T23:59:59Z Asia/Tokyo -: Saturday, 1 January 10000 08:30 to 08:59 Asia/Tokyo',
])('%s', (row) => {
  const [times = '', expected] = row.split(': ')
  const [start = '', end = '', ...zones] = times.split(' ')
  const [zone = null, own = null] = zones.map((name) => (name === '-' ? null : name))
  expect(shown(start, end, zone, own)).toBe(expected)
})

test('days are in calendar order, and items in the order of their local start', () => {
  const at = (uniqueId: string, startTime: string, timeZone: string) => {
    return { ...ITEM, uniqueId, startTime, endTime: startTime.replace(':00Z', ':59Z'), timeZone }
  }
  const days = toDays(
    [
      at('late', '2031-05-05T01:00:00Z', 'America/New_York'),
      at('next', '2031-05-05T00:30:00Z', 'Asia/Tokyo'),
      at('early', '2031-05-05T05:00:00Z', 'Pacific/Honolulu'),
    ],
    null,
  )
  expect(days.map(({ slots }) => slots.map(({ item }) => item.uniqueId))).toEqual([
    ['early', 'late'],
    ['next'],
  ])
})

test('the heading names the time zone that most items have; of equally frequent zones, the first by name', () => {
  const items = (...zones: readonly (string | null)[]) => zones.map((timeZone) => ({ ...ITEM, timeZone }))
  expect(mainZone(items(null, null, 'Asia/Tokyo'), 'Europe/Berlin')).toBe('Europe/Berlin')
  expect(mainZone(items('Asia/Tokyo', 'Asia/Tokyo', null), 'Europe/Berlin')).toBe('Asia/Tokyo')
  expect(mainZone(items('Europe/Paris', 'Asia/Tokyo'), null)).toBe('Asia/Tokyo')
  expect(mainZone(items(null), null)).toBe(null)
})
