import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { MAX_REPORT_BYTES } from '../../../../loaders/packs/csv-files/pack-format.ts'
import type { ReportFigures } from '../../../../loaders/packs/report/figures.ts'
import { reportPage } from '../../../../loaders/packs/report/report.ts'
import { figuresWith, ITEM, tagsOf } from './sample.ts'

const harmless = figuresWith(() => 'x')
const page = reportPage(harmless)

const TRAPS = [
  '<script>document.title="run"</script>',
  "'-alert(1)-'",
  '</style><img src=x onerror=alert(1)>',
  '</text></svg><iframe srcdoc="<script>alert(1)</script>">',
  '--><!--',
  '&#60;b&#62;',
  '\u202e\u2066<b>\u0000',
]

test.each(TRAPS)('the text %j is shown as text wherever it occurs in the page, and adds no tag', (trap) => {
  const trapped = reportPage(figuresWith(() => trap))
  expect(tagsOf(trapped)).toEqual(tagsOf(page))
})

test('the page has no script, no external link, nothing to load, no inline style or handler', () => {
  const tags = tagsOf(reportPage(figuresWith(() => 'https://x.example/')))
  expect(
    tags.filter((tag) => /^<(?:script|img|iframe|object|embed|link|base|form|input|use)/i.test(tag)),
  ).toEqual([])
  expect(tags.filter((tag) => /\s(?:on\w+|style|src|srcset)\s*=/i.test(tag))).toEqual([])
  const targets = tags.flatMap((tag) => /href="([^"]*)"/.exec(tag)?.[1] ?? [])
  expect(targets.length).toBeGreaterThan(10)
  expect(targets.filter((target) => !/^(?:#[a-z]+|[a-z_]+\.(?:csv|json|jsonl))$/.test(target))).toEqual([])
})

test('the content security policy of the page allows only its own style sheet, by its hash', () => {
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll("'", '&#39;')}">`,
  )
  // The content security policy applies only to what follows it, so it must come before the style sheet.
  expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style>'))
})

test('each id occurs once, and each reference has a target', () => {
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const wanted = [...page.matchAll(/(?:aria-labelledby="|href="#)([^"]+)"/g)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
})

test('the faults of a run are at the top of the page, each with a link to its section', () => {
  const [outcome = ''] = /<ul class="outcomes".*?<\/ul>/s.exec(page) ?? []
  const text = outcome.replace(/<[^>]*>/g, ' ')
  for (const found of [
    '5 sums do not close',
    'the platform rejected 200 changes',
    'a read was not proved complete',
    '70 records could not be read',
    '1 change withheld',
    'held, then approved',
  ])
    expect(text).toContain(found)
  expect(text).not.toContain('landed')
})

test('the report of a run without a fault or change says that nothing had to change', () => {
  const clean: ReportFigures = {
    ...harmless,
    figures: harmless.figures.map((figure) => ({ ...figure, expected: null })),
    quarantined: { rows: [], total: 0 },
    rejected: { rows: [], total: 0 },
    run: { ...harmless.run, certified: true, held: null, counts: null },
  }
  expect(reportPage(clean)).toContain('Nothing had to change')
})

test('sums that are not equal to the expected number are listed first, marked with a sign and with words', () => {
  const section = page.slice(page.indexOf('id="reconciliation"'), page.indexOf('id="results"'))
  expect(section).toContain('5 of 18 sums do not close.')
  expect(section.match(/<tr class="open">/g)?.length).toBe(10)
  expect(section.indexOf('Sums that do not close')).toBeLessThan(section.indexOf('All figures'))
})

test.each([
  ['long values everywhere', '<&"\'`>'.repeat(2000)],
  ['characters that are written out', '\u202e'.repeat(5000)],
])('the largest possible report has less than two megabytes: %s', (_, text) => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index).values()
  const worst = reportPage(
    figuresWith(() => `${numbers.next().value}${text}`, {
      changedItems: 500,
      fieldsOfItem: 1,
      agendaItems: 3000,
      rejections: 100,
      quarantined: 50,
      runs: 9,
    }),
  )
  expect(Buffer.byteLength(worst)).toBeLessThanOrEqual(MAX_REPORT_BYTES)
  // The first 500 changed fields are always shown.
  expect(worst.match(/<th scope="row">description<\/th>/g)?.length).toBe(500)
  const shown = worst.match(/<th scope="row">\d\d:\d\d–/g)?.length ?? 0
  const [, left = '0'] = /([\d,]+) agenda items of 3,000 are left out here/.exec(worst) ?? []
  expect(shown + Number(left.replace(',', ''))).toBe(3000)
  expect(worst.endsWith('</html>\n')).toBe(true)
})

test('a small agenda is shown completely; for a large agenda the page says what is left out', () => {
  const items = Array.from({ length: 3000 }, (_, index) => ({
    ...ITEM,
    uniqueId: String(index),
    name: `Session ${index}`,
    location: `Room ${index % 30}`,
    startTime: `2031-05-0${1 + (index % 5)}T${String(8 + (index % 9)).padStart(2, '0')}:00:00Z`,
    endTime: `2031-05-0${1 + (index % 5)}T${String(8 + (index % 9)).padStart(2, '0')}:50:00Z`,
  }))
  const whole = reportPage({ ...harmless, agenda: { rows: items, total: 3000 } })
  expect(whole).not.toContain('left out here')
  expect(whole.match(/<bdi>Session \d+<\/bdi>/g)?.length).toBe(3000)
  expect(reportPage({ ...harmless, agenda: { rows: items, total: 4001 } })).toContain(
    '1,001 agenda items of 4,001 are left out here',
  )
})

test('each item of a day has a row with its time, its name and its location', () => {
  const at = (hour: string) => ({
    ...ITEM,
    startTime: `2031-05-04T${hour}:00Z`,
    endTime: '2031-05-05T01:00:00Z',
  })
  const items = [
    { ...at('09:30'), location: null },
    { ...at('09:00'), name: 'First', action: 'create' as const },
  ]
  const { run } = harmless
  const page = reportPage({
    ...harmless,
    run: { ...run, timeZone: null },
    agenda: { rows: [...items, ITEM], total: 3 },
  })
  const rows = [...page.matchAll(/<tr><th scope="row">(\d\d:\d\d–.*?)<\/tr>/g)].map(([, row = '']) =>
    row.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|+/g, '|'),
  )
  expect(rows).toEqual([
    '09:00–01:00 +1|First| |new|North|',
    '09:00–10:00|Opening|North|',
    '09:30–01:00 +1|Opening|No location|',
  ])
  expect(page).toContain('3 items, 1 location, some without a location')
})
