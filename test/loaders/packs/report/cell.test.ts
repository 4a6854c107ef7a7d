import { expect, test } from 'vitest'
import { cell } from '../../../../loaders/packs/report/cell.ts'
import { toPage } from '../../../../loaders/packs/report/html.ts'
import { reportPage } from '../../../../loaders/packs/report/report.ts'
import { PLATFORM, type Platform } from '../../../../transforms/rules/platform.ts'
import { figuresWith } from './sample.ts'

const INSTANT = '2031-05-04T09:00:00Z'
const shown = (content: keyof Platform, name: string, timeZone: string | null) =>
  toPage(cell(INSTANT, { content, name, timeZone }))

test('times of platform fields are shown in the time zone of the event, and all other fields are shown unchanged', () => {
  const times: string[] = []
  for (const [content, fields] of Object.entries(PLATFORM))
    for (const name of Object.keys(fields)) {
      const text = shown(content as keyof Platform, name, 'Europe/Berlin')
      if (text === '2031-05-04 11:00:00') times.push(`${content}.${name}`)
      else expect(text).toBe(`<bdi>${INSTANT}</bdi>`)
    }
  expect(times).toEqual(['agenda.startTime', 'agenda.endTime'])
  expect(shown('agenda', 'startTime', null)).toBe('2031-05-04 09:00:00')
  expect(shown('agenda', 'custom.startTime', 'Europe/Berlin')).toBe(`<bdi>${INSTANT}</bdi>`)
})

test('"What changed" shows times in the zone that the page names', () => {
  const figures = figuresWith(() => 'x')
  const fields = [{ name: 'startTime', before: null, after: INSTANT }]
  const rows = figures.changes.rows.map((item) => ({ ...item, fields }))
  const page = reportPage({ ...figures, changes: { total: rows.length, rows } })
  const [changes = ''] = /<section id="changes".*?<\/section>/s.exec(page) ?? []
  expect(changes).toContain('<td>2031-05-04 11:00:00</td>')
  expect(changes).not.toContain(INSTANT)
  expect(page).toContain('All times are in Europe/Berlin')
})
