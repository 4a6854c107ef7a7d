import { expect, test } from 'vitest'
import { reportPage } from '../../loaders/audit/report/page.ts'
import { isBrowserHere, NOT_HERE, useBrowser } from '../loaders/audit/report/browser.ts'
import { figuresWith, tagsOf } from '../loaders/audit/report/sample.ts'
import { strings } from './strings.ts'

const AMOUNTS = { changedItems: 100, fieldsOfItem: 2, agendaItems: 40 }
const SOME = 100

/** Texts of the cells of changed fields, as a reader has them. */
const CELLS = `[...document.querySelectorAll('.changes td bdi')].map((cell) => cell.textContent)`

/** What a report shows as it is: short, and without characters that are written out. */
const isPlain = (text: string) => [...text].length <= 160 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)

/** Spans that tell of what is cut are there or not as the text is long or short. */
const withoutCuts = (page: string) =>
  tagsOf(page.replaceAll(/<span class="cut">[^<]*<\/span>/g, '')).filter(
    (tag) => tag !== '<span class="label">',
  )

if (strings === null) {
  test.skip('report: not run, the suites are not here', () => {})
} else {
  const all = strings
  const pages = Array.from({ length: Math.ceil(all.length / SOME) }, (_, part) => {
    const own = all.slice(part * SOME, (part + 1) * SOME)
    let next = 0
    const text = () => own[next++ % own.length] ?? ''
    return [part, own, reportPage(figuresWith(text, AMOUNTS))] as const
  })

  test('no string of the suites becomes markup, wherever it stands', () => {
    for (const text of all) {
      // An empty value is nothing to show, and a place without items has one element less.
      if (text === '') continue
      const page = reportPage(figuresWith(() => text))
      expect(withoutCuts(page), text).toEqual(withoutCuts(reportPage(figuresWith(() => 'x'))))
    }
  })

  if (isBrowserHere) {
    const open = useBrowser()
    test.each(pages)(
      'part %i of the strings in a browser: nothing runs, and each is read as it is',
      async (_, own, text) => {
        const { page, noise } = await open(text, { width: 390, colorScheme: 'light' })
        expect(noise).toEqual([])
        expect(await page.title()).toBe('summit: audit report of 2031-05-01 08:01:05 UTC')
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
        const read = new Set(await page.evaluate<string[]>(CELLS))
        expect(own.filter((string) => isPlain(string) && !read.has(string))).toEqual([])
        await page.close()
      },
    )
  } else {
    test.skip(NOT_HERE, () => {})
  }
}
