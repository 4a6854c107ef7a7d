import { expect, test } from 'vitest'
import { nextFullMs } from '../../pipeline/extract/changes/plan-readings.ts'

const reading = { mode: 'changes', overlapMinutes: 60 } as const
const nextFull = (fullEvery: string, fullAt?: string, schedule?: { timeZone: string }) => {
  const of = { schedule: schedule && { cron: '0 * * * *', jitterSeconds: 0, ...schedule } }
  const next = nextFullMs(of, { ...reading, fullEvery, fullAt }, Date.parse('2031-05-04T09:00:00Z'))
  return new Date(next).toISOString().slice(5, 16)
}

test('a full reading is due after 90 % of its interval, at the next configured time of day in the time zone of the schedule', () => {
  expect(nextFull('10h')).toBe('05-04T18:00')
  expect(nextFull('10h', '18:00')).toBe('05-04T18:00')
  expect(nextFull('10h', '17:59')).toBe('05-05T17:59')
  expect(nextFull('10h', '18:00', { timeZone: 'Asia/Tokyo' })).toBe('05-05T09:00')
})
