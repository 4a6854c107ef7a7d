import { describe, expect, test } from 'vitest'
import { cronFault, cronPattern, timesAfter } from '../../../pipeline/settings/values.ts'

const at = (text: string) => Date.parse(text)
const times = (cron: string, timeZone: string, from: string, count: number) =>
  timesAfter({ cron, timeZone }, at(from), count).map((time) => new Date(time).toISOString())

describe('a cron expression', () => {
  test.each(['0 */4 * * *', '5 4 * * 1-5', '0 0 1,15 * MON', '*/7 0-6/2 * jan,JUL *', '0 0 29 2 *'])(
    '%s is valid',
    (cron) => {
      expect(new RegExp(cronPattern).test(cron)).toBe(true)
      expect(cronFault(cron)).toBeUndefined()
    },
  )

  test.each(['', '* * * *', '0 0 4 * * *', '@daily', 'H * * * *', '0 0 L * *', '0 0 * * 1#2', ' * * * * *'])(
    'the cron expression "%s" is refused, because it does not have five fields',
    (cron) => {
      expect(new RegExp(cronPattern).test(cron)).toBe(false)
    },
  )

  test.each([
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '0 0 31 4 *',
  ])('the cron expression %s is refused, because it never becomes due', (cron) => {
    expect(cronFault(cron)).toEqual(expect.any(String))
  })
})

describe('a schedule becomes due', () => {
  test('a schedule becomes due at the local time of its time zone, strictly after the given moment', () => {
    expect(times('0 9 * * *', 'America/New_York', '2031-05-04T13:00:00Z', 2)).toEqual([
      '2031-05-05T13:00:00.000Z',
      '2031-05-06T13:00:00.000Z',
    ])
  })

  test('a schedule becomes due once when clocks are set back, and after the gap when clocks are set forward', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00:00Z', 2)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-11-01T01:30:00.000Z',
    ])
    expect(times('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:30:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
  })
})
