import { describe, expect, test } from 'vitest'
import { nextDue, offsetSeconds, onTheClock } from '../../../pipeline/worker/schedules.ts'

const schedule = (cron: string, jitterSeconds = 300, timeZone = 'UTC') => ({ cron, timeZone, jitterSeconds })
const ids = Array.from({ length: 300 }, (_, place) => `event-${place + 1}`)
const offsets = (of: ReturnType<typeof schedule>) => ids.map((id) => offsetSeconds(id, of))

describe('integrations that share a cron expression', () => {
  test('are spread over the seconds of the jitter, evenly', () => {
    const found = offsets(schedule('0 */4 * * *'))
    expect(Math.min(...found)).toBeLessThan(15)
    expect(Math.max(...found)).toBeGreaterThan(285)
    expect(Math.max(...found)).toBeLessThanOrEqual(300)
    // Worked out by hand: 300 over six fifths of a minute each, give or take.
    for (let from = 0; from < 300; from += 60) {
      const share = found.filter((offset) => offset >= from && offset < from + 60).length
      expect(share).toBeGreaterThan(35)
      expect(share).toBeLessThan(85)
    }
  })

  test('have the same offset each time, no matter what the expression', () => {
    expect(offsetSeconds('summit', schedule('0 */4 * * *'))).toBe(
      offsetSeconds('summit', schedule('15 3 * * 1')),
    )
  })

  test('are not moved where that is not wanted', () => {
    expect(new Set(offsets(schedule('0 */4 * * *', 0)))).toEqual(new Set([0]))
  })

  test.each([
    ['* * * * *', 30],
    ['*/2 * * * *', 60],
    ['0,4 12 * * *', 120],
  ])('%s: by half the time between two runs at most, %i seconds', (cron, most) => {
    const found = offsets(schedule(cron))
    expect(Math.max(...found)).toBeLessThanOrEqual(most)
    expect(Math.max(...found)).toBeGreaterThan(most * 0.8)
  })
})

describe('the next time', () => {
  const at = (text: string) => Date.parse(`2031-05-04T${text}Z`)

  test('is that of the expression and the offset', () => {
    expect(nextDue(schedule('0 */4 * * *'), 100, at('09:00:00'))).toBe(at('12:01:40'))
  })

  test('may be of a time of the expression that has passed already', () => {
    expect(nextDue(schedule('0 */4 * * *'), 100, at('12:01:00'))).toBe(at('12:01:40'))
    expect(nextDue(schedule('0 */4 * * *'), 100, at('12:01:40'))).toBe(at('16:01:40'))
  })

  test('is shown on the clock of its zone', () => {
    expect(onTheClock(at('12:01:40'), 'America/New_York')).toBe('2031-05-04 08:01:40')
  })
})
