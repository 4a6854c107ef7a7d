import axe from 'axe-core'
import { describe, expect, test } from 'vitest'
import { planPage } from '../../../../loaders/packs/plan-page/page.ts'
import { reportPage } from '../../../../loaders/packs/report/report.ts'
import { statusPage } from '../../../../pipeline/inspect/web-page.ts'
import { NO_CHANGES } from '../../../../pipeline/runtime/report.ts'
import type { IntegrationStatus } from '../../../../pipeline/schemas/runs.ts'
import { FACTS, planWith } from '../plan-page/sample.ts'
import { isBrowserHere, NOT_HERE, useBrowser } from './browser.ts'
import { figuresWith, ITEM } from './sample.ts'

const LOOKS = [
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const

// These expressions are evaluated in the page. The expressions are written as texts, because this project
// does not include the types of a browser.
const WIDTH = 'document.documentElement.scrollWidth'
const UNFOLD = "for (const details of document.querySelectorAll('details')) details.open = true"
const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })`
const STATE = `({
  scripts: document.querySelectorAll('script, img, iframe, link, base, form, [onload], [onerror]').length,
  shown: getComputedStyle(document.body).display,
  focused: document.activeElement === document.body,
  wide: document.documentElement.scrollWidth,
  text: document.querySelector('blockquote')?.textContent ?? '',
})`
const FOCUSED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const name = element.getAttribute('aria-label') ?? element.textContent ?? ''
  return { name, outline: outlineStyle + ' ' + outlineWidth }
})()`
const HIDDEN_ROWS = `[...document.querySelectorAll('details tr')].filter(
  (row) => !row.checkVisibility({ contentVisibilityAuto: true }) || row.getBoundingClientRect().height === 0,
).length`

const TRAPS = [
  '<script>document.title="run"</script>',
  '</style><svg onload="document.title=\'run\'">',
  '<link rel=stylesheet href=https://x.example/a.css>',
  '<style>@import "https://x.example/b.css"; body { display: none }</style>',
  '<meta http-equiv=refresh content="0;url=https://x.example/">',
  '<a href="javascript:document.title=1" autofocus onfocus="document.title=1">x</a>',
  '\u202eright to left',
  'a-word-without-a-break-'.repeat(40),
]

const sample = reportPage(figuresWith(() => 'A plain text', { agendaItems: 12, changedItems: 20 }))
const many = reportPage({
  ...figuresWith(() => 'x'),
  agenda: {
    total: 60,
    rows: Array.from({ length: 60 }, (_, index) => ({
      ...ITEM,
      name: `Session ${index}`,
      location: index % 7 === 6 ? null : `A room with quite a long name, number ${index % 12}`,
      startTime: `2031-05-04T${String(8 + (index % 9)).padStart(2, '0')}:00:00Z`,
      endTime: `2031-05-04T${String(9 + (index % 9)).padStart(2, '0')}:30:00Z`,
    })),
  },
})

const plan = planWith('A plain text')

const upToDate: IntegrationStatus = {
  integration: 'summit',
  state: 'up to date',
  since: '2031-05-01T08:00:00.000Z',
  reason: null,
  look: null,
  next: null,
  pinned: null,
  running: true,
  run: FACTS.runId,
  exitCode: 0,
  changes: { ...NO_CHANGES, ...FACTS.counts?.changes },
  lastSuccessAt: '2031-05-01T08:00:00.000Z',
  secondsSinceSuccess: 60,
  cron: '0 * * * *',
  dueAt: '2031-05-01T09:00:00.000Z',
  reading: 'full',
  report: '/out/summit/run/report.html',
  toForward: null,
  recent: Array.from({ length: 30 }, (_, run) => ({
    changes: run * 3,
    removals: run % 4,
    seconds: 10 + (run % 7),
    hasFailed: run === 3,
  })),
}
/** Integrations in every state, and so many that the last ones are rows of a table. */
const statuses: readonly IntegrationStatus[] = [
  {
    ...upToDate,
    integration: 'held',
    state: 'held',
    reason: 'many removals',
    look: 'event-sync show RUN',
    next: 'event-sync apply held',
  },
  { ...upToDate, integration: 'incomplete', state: 'incomplete', reason: 'a read was not proved complete' },
  { ...upToDate, integration: 'overdue', state: 'overdue', reason: 'no run has started' },
  { ...upToDate, integration: 'failing', state: 'failing', reason: 'the source answered 503', report: null },
  { ...upToDate, integration: 'new', state: 'never run', since: null, run: null, report: null, recent: [] },
  ...Array.from({ length: 100 }, (_, index) => ({ ...upToDate, integration: `event-${index}` })),
]
// The file; a page that a worker serves also loads itself again every minute, which axe would report.
const status = statusPage(statuses, '2031-05-01T08:01:00.000Z', '/out', null)

if (isBrowserHere) {
  const open = useBrowser()

  describe.each(LOOKS)('at $width pixels, $colorScheme', (look) => {
    test.each([
      ['a page of plain texts', sample],
      ['a day of twelve rooms', many],
      ['the page of a plan', planPage(FACTS, plan, false)],
      ['the page of a plan to forward', planPage(FACTS, plan, true)],
      ['the status page', status],
    ])(
      '%s: the page logs nothing, has no accessibility fault, and does not scroll sideways',
      async (_, text) => {
        const { page, noise } = await open(text, look)
        expect(await page.evaluate(WIDTH)).toBe(look.width)
        await page.evaluate(UNFOLD)
        expect(await page.evaluate(WIDTH)).toBe(look.width)
        expect(noise).toEqual([])
        // The debugger evaluates the source of axe, so the content security policy of the page does not block
        // it.
        await page.evaluate(axe.source)
        const { violations, passes } = await page.evaluate<axe.AxeResults>(AXE)
        expect(passes.length).toBeGreaterThan(20)
        expect(violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html])).toEqual([])
        await page.close()
      },
    )
  })

  test('no text of the source has an effect in the page: no script, no request, no style, no focus', async () => {
    const look = LOOKS[0]
    for (const trap of TRAPS) {
      const { page, noise } = await open(reportPage(figuresWith(() => trap)), look)
      await page.waitForTimeout(50)
      expect(noise, trap).toEqual([])
      expect(await page.title(), trap).toBe('summit: audit report of 2031-05-01 10:01:05')
      const found = await page.evaluate(STATE)
      expect(found, trap).toEqual({
        scripts: 0,
        shown: 'block',
        focused: true,
        wide: look.width,
        text: trap.replace('\u202e', '\\u{202e}'),
      })
      await page.close()
    }
  })

  test('the keyboard reaches every link, folded part and scrollable part, and the focus is visible', async () => {
    const { page } = await open(many, { width: 390, colorScheme: 'light' })
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the report')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    const reached: string[] = []
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab')
      const at = await page.evaluate<{ name: string; outline: string } | null>(FOCUSED)
      if (at === null) break
      expect(at.outline, at.name).toBe('solid 3px')
      reached.push(at.name)
    }
    expect(reached).toContain('Sunday, 4 May 2031 60 items, 12 locations, some without a location')
    expect(reached).toContain('changes.csv')
    expect(reached.at(-1)).toBe('changes.csv')
    await page.close()
  })

  test('in print, folded parts are shown, and nothing scrolls', async () => {
    const { page } = await open(many, { width: 1280, colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate("document.querySelector('nav').checkVisibility()")).toBe(false)
    expect(await page.evaluate(HIDDEN_ROWS)).toBe(0)
    const paper = await page.pdf({ format: 'A4' })
    expect(paper.length).toBeGreaterThan(10_000)
    await page.close()
  })
} else {
  test.skip(NOT_HERE, () => {})
}
