import { describe, expect, test } from 'vitest'
import { nextDue, offsetSeconds, onTheClock } from '../../../pipeline/config/due.ts'

const schedule = (cron: string, jitterSeconds = 300, timeZone = 'UTC') => ({ cron, timeZone, jitterSeconds })
const ids = Array.from({ length: 300 }, (_, place) => `event-${place + 1}`)
const offsets = (of: ReturnType<typeof schedule>) => ids.map((id) => offsetSeconds(id, of))

describe('integrations that share a cron expression', () => {
  test('integrations that share a cron expression are spread evenly over the seconds of the jitter', () => {
    const found = offsets(schedule('0 */4 * * *'))
    expect(Math.min(...found)).toBeLessThan(15)
    expect(Math.max(...found)).toBeGreaterThan(285)
    expect(Math.max(...found)).toBeLessThanOrEqual(300)
    // 300 integrations over 5 minutes are 60 for each minute. The lower and the upper limit allow some
    // tolerance.
    for (let from = 0; from < 300; from += 60) {
      const share = found.filter((offset) => offset >= from && offset < from + 60).length
      expect(share).toBeGreaterThan(35)
      expect(share).toBeLessThan(85)
    }
  })

  test('an integration has the same offset each time, with any cron expression', () => {
    expect(offsetSeconds('summit', schedule('0 */4 * * *'))).toBe(
      offsetSeconds('summit', schedule('15 3 * * 1')),
    )
  })

  test('integrations start exactly on time if the jitter is 0', () => {
    expect(new Set(offsets(schedule('0 */4 * * *', 0)))).toEqual(new Set([0]))
  })

  test.each([
    ['* * * * *', 30],
    ['*/2 * * * *', 60],
    ['0,4 12 * * *', 120],
  ])(
    'integrations with %s are delayed by at most half the time between two runs: %i seconds',
    (cron, most) => {
      const found = offsets(schedule(cron))
      expect(Math.max(...found)).toBeLessThanOrEqual(most)
      expect(Math.max(...found)).toBeGreaterThan(most * 0.8)
    },
  )
})

describe('the next start', () => {
  const at = (text: string) => Date.parse(`2031-05-04T${text}Z`)

  test('the next start is the time of the cron expression plus the offset of the integration', () => {
    expect(nextDue(schedule('0 */4 * * *'), 100, at('09:00:00'))).toBe(at('12:01:40'))
  })

  test('the next start may belong to a time of the cron expression that has already passed', () => {
    expect(nextDue(schedule('0 */4 * * *'), 100, at('12:01:00'))).toBe(at('12:01:40'))
    expect(nextDue(schedule('0 */4 * * *'), 100, at('12:01:40'))).toBe(at('16:01:40'))
  })

  test('the next start is shown in the local time of the schedule', () => {
    expect(onTheClock(at('12:01:40'), 'America/New_York')).toBe('2031-05-04 08:01:40')
  })
})
