import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ical from 'node-ical'
import { expect, test } from 'vitest'
import { writeCalendar } from '../../../loaders/exports/calendar.ts'
import { itemsFile } from '../../../loaders/packs/csv-files/pack-files.ts'
import { writePackOf } from './written-pack.ts'

const session = (id: string, more: Readonly<Record<string, string>> = {}) => ({
  unique_id: id,
  action: 'create',
  name: 'Opening',
  start_time: '2031-05-04T13:00:00Z',
  end_time: '2031-05-04T14:00:00Z',
  ...more,
})

async function calendarOf(...sessions: ReturnType<typeof session>[]) {
  const { pack, to } = writePackOf([itemsFile('agenda'), sessions])
  const written = await writeCalendar(pack, to, 'private')
  const text = readFileSync(join(to, 'agenda.ics'), 'utf8')
  const events = Object.values(ical.sync.parseICS(text)).filter((one) => one?.type === 'VEVENT')
  return { written, text, events }
}

test('a session is an event with a UID of session and integration, times in UTC, room and plain description', async () => {
  const { written, events } = await calendarOf(
    session('101', {
      name: 'Tea, cake; and \\ more',
      location: 'Room 1; floor 2',
      description: '<p>Bring</p><p>a cup &amp; spoon</p>',
      speaker_ids: 'u1',
    }),
    session('102'),
  )
  expect(written).toEqual([{ name: 'agenda.ics', rows: 2, cut: 0 }])
  expect(events).toHaveLength(2)
  expect(events[0]).toMatchObject({
    uid: '101@summit',
    summary: 'Tea, cake; and \\ more',
    location: 'Room 1; floor 2',
    description: 'Bring\na cup & spoon',
    start: new Date('2031-05-04T13:00:00Z'),
    end: new Date('2031-05-04T14:00:00Z'),
    dtstamp: new Date('2031-05-01T06:00:00Z'),
  })
  expect(events[1]).toMatchObject({ uid: '102@summit' })
  expect(JSON.stringify(events)).not.toContain('u1')
})

test('lines have at most 75 bytes, end with CRLF, and have no control characters', async () => {
  const name = `${'Grüße 😀 '.repeat(40)}\u0007\rend\ttab`
  const { text, events } = await calendarOf(session('a;b,c', { name }))
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n/)
  expect(text).toMatch(/\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n$/)
  const lines = text.split('\r\n')
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBe(75)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these characters.
  expect(lines.filter((line) => /[\u0000-\u0008\u000a-\u001f\u007f]/.test(line))).toEqual([])
  expect(events[0]).toMatchObject({ uid: 'a;b,c@summit', summary: `${'Grüße 😀 '.repeat(40)}\nend\ttab` })
})

test('an agenda without sessions is a calendar without events', async () => {
  const { written, text } = await calendarOf()
  expect(written).toEqual([{ name: 'agenda.ics', rows: 0, cut: 0 }])
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*END:VCALENDAR\r\n$/)
})

test('a masked id of a session is refused, because the event could not be recognized', async () => {
  await expect(calendarOf(session('masked'))).rejects.toThrow('row 1: the id of the session is masked')
})
