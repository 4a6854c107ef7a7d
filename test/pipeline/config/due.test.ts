import { CronExpression, CronExpressionParser } from 'cron-parser'
import { describe, expect, test, vi } from 'vitest'
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

  const CRONS = ['*/20 * * * *', '30 2 * * *', '0 */4 * * 0', '15 1-3 * * *', '0 0 1 * *']

  // Clocks are set forward and back on these days. Casablanca sets them back and forward within five weeks.
  test.each([
    ['Europe/Berlin', '2031-03-30', '2031-10-26'],
    ['America/New_York', '2031-03-09', '2031-11-02'],
    ['Pacific/Chatham', '2031-04-06', '2031-09-28'],
    ['Africa/Casablanca', '2029-01-14', '2029-02-18'],
  ])('the next start in %s depends only on the time, also near a clock change', (timeZone, ...days) => {
    for (const cron of CRONS) {
      for (const midnight of days.map((day) => Date.parse(`${day}T00:00:00Z`))) {
        for (const [step, spanSeconds] of [
          [7919, 40_000],
          [79_193, 1_000_000],
        ] as const) {
          for (let time = 0; time < 100; time += 1) {
            // The times go back and forth over eleven hours, and over eleven days.
            const nowMs = midnight + ((time * step) % spanSeconds) * 1000 - spanSeconds * 500
            const fresh = CronExpressionParser.parse(cron, { tz: timeZone, currentDate: new Date(nowMs) })
            const next = nextDue({ ...schedule(cron), timeZone }, 0, nowMs)
            expect(next).toBe(fresh.next().getTime())
          }
        }
      }
    }
  })

  test('the next start of integrations with the same schedule is computed only a few times', () => {
    const computed = vi.spyOn(CronExpression.prototype, 'next')
    const daily = schedule('0 9 * * *')
    const minute = (second: number) =>
      `09:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`
    // Some offsets are shorter and others longer than the time since nine o'clock.
    for (const second of Array.from({ length: 600 }, (_, place) => (place * 77) % 301)) {
      const due = Date.parse(`2031-05-0${second > 120 ? 4 : 5}T${minute(second)}Z`)
      expect(nextDue(daily, second, at('09:02:00'))).toBe(due)
    }
    expect(computed.mock.calls.length).toBeLessThan(30)
    computed.mockRestore()
  })

  test('the next start is shown in the local time of the schedule', () => {
    expect(onTheClock(at('12:01:40'), 'America/New_York')).toBe('2031-05-04 08:01:40')
  })
})
