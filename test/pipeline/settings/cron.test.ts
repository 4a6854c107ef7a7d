import { describe, expect, test } from 'vitest'
import { cronFault, cronPattern, timesAfter } from '../../../pipeline/settings/cron.ts'

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

  test('a schedule that is due in every hour becomes due in both hours that the clocks show', () => {
    expect(times('0,30 * * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', 4)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-10-31T01:00:00.000Z',
      '2027-10-31T01:30:00.000Z',
      '2027-10-31T02:00:00.000Z',
    ])
  })

  const MINUTE_MS = 60_000
  const CRONS: readonly (readonly [string, (clock: Date) => boolean])[] = [
    ['*/20 * * * *', (clock) => clock.getUTCMinutes() % 20 === 0],
    ['30 2 * * *', (clock) => clock.getUTCHours() === 2 && clock.getUTCMinutes() === 30],
    ['5,35 0-2 * * *', (clock) => clock.getUTCHours() < 3 && clock.getUTCMinutes() % 30 === 5],
    [
      '0 */4 * * 0',
      (clock) => clock.getUTCDay() === 0 && clock.getUTCHours() % 4 === 0 && clock.getUTCMinutes() === 0,
    ],
    [
      '15 1-3 8-14 4 7',
      (clock) =>
        [1, 2, 3].includes(clock.getUTCHours()) &&
        clock.getUTCMinutes() === 15 &&
        clock.getUTCMonth() === 3 &&
        (clock.getUTCDay() === 0 || (clock.getUTCDate() >= 8 && clock.getUTCDate() < 15)),
    ],
  ]

  /** Reads the clock of a zone in each minute of three days, and notes when a time comes or is skipped. */
  function readClock(timeZone: string, fromMs: number) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    const clockAt = (timeMs: number) => Date.parse(`${format.format(timeMs).replace(' ', 'T')}Z`)
    const shown = new Map<number, number[]>()
    let latest = clockAt(fromMs - MINUTE_MS)
    for (let timeMs = fromMs; timeMs < fromMs + 4320 * MINUTE_MS; timeMs += MINUTE_MS) {
      const clock = clockAt(timeMs)
      for (let skipped = latest + MINUTE_MS; skipped < clock; skipped += MINUTE_MS)
        shown.set(skipped, [timeMs + skipped - latest - MINUTE_MS])
      shown.set(clock, [...(shown.get(clock) ?? []), timeMs])
      latest = Math.max(latest, clock)
    }
    return shown
  }

  // Clocks are set forward or back on these days: by an hour, by half an hour, by two hours, and at midnight.
  test.each([
    ['Europe/Berlin', '2031-03-30'],
    ['Europe/Berlin', '2031-10-26'],
    ['Pacific/Chatham', '2031-04-06'],
    ['Pacific/Chatham', '2031-09-28'],
    ['Australia/Lord_Howe', '2031-04-06'],
    ['Australia/Lord_Howe', '2031-10-05'],
    ['Antarctica/Troll', '2031-03-30'],
    ['Antarctica/Troll', '2031-10-26'],
    ['America/Santiago', '2031-04-06'],
    ['America/Santiago', '2031-09-07'],
    ['America/Godthab', '2031-03-30'],
    ['Africa/Casablanca', '2029-01-14'],
  ])('a schedule in %s becomes due as its clock says around %s, from any moment on', (timeZone, day) => {
    const fromMs = at(`${day}T00:00:00Z`) - 86_400_000
    const clock = readClock(timeZone, fromMs)
    for (const [cron, isDue] of CRONS) {
      const due = [...clock].flatMap(([wallMs, instants]) =>
        isDue(new Date(wallMs)) ? instants.slice(0, cron.includes(' * * * *') ? 2 : 1) : [],
      )
      const expected = [...new Set(due)].sort((one, other) => one - other)
      expect([cron, ...timesAfter({ cron, timeZone }, fromMs - 1, expected.length)]).toEqual([
        cron,
        ...expected,
      ])
      for (const [place, time] of expected.entries()) {
        const [before = fromMs - 2] = [expected[place - 1]]
        const moments = [before + Math.floor((time - before) / 2), Math.max(before, time - 10_000)]
        for (const moment of moments) expect(timesAfter({ cron, timeZone }, moment, 1)).toEqual([time])
      }
    }
  })
})
