import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { isBrowserHere, NOT_HERE, useChromium } from '../loaders/packs/report/browser.ts'
import { useOneFolder } from '../support/folder.ts'
import { makeSite } from './site.ts'

// Expressions are texts, because this project does not include the types of a browser.
const AXE = `axe.run(document, { preload: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })`
const WIDTH = 'document.documentElement.scrollWidth'
const PICTURES = '[...document.images].map(({ naturalWidth }) => naturalWidth > 0)'

if (isBrowserHere) {
  describe('the site of the documents, opened from its files', () => {
    const folder = useOneFolder()
    const browser = useChromium()
    beforeAll(() => void makeSite(folder))

    const open = async (path: string, width: number, colorScheme: 'light' | 'dark') => {
      const page = await browser().newPage({ viewport: { width, height: 900 }, colorScheme })
      const noise: string[] = []
      page.on('console', (message) => noise.push(message.text()))
      page.on('pageerror', (error) => noise.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith(pathToFileURL(folder).href)) noise.push(request.url())
      })
      await page.goto(pathToFileURL(join(folder, path)).href, { waitUntil: 'load' })
      return { page, noise }
    }

    test('the first page shows its pictures, and its links lead to other pages', async () => {
      const { page, noise } = await open('index.html', 1280, 'light')
      await page.waitForURL(/\/README\.html$/)
      expect(await page.evaluate(PICTURES)).toEqual([true, true])
      await page.locator('main a', { hasText: 'the commands' }).first().click()
      await page.waitForURL(/\/pipeline\/commands\/README\.html$/)
      expect(noise).toEqual([])
    })

    test('the search of a page in a folder finds a section by part of a word, and opens it', async () => {
      const { page, noise } = await open('sql/queries/README.html', 1280, 'light')
      await page.locator('#query').fill('nosuchword')
      expect(await page.locator('#found').textContent()).toBe('No section has these words.')
      await page.locator('#query').fill('changed between two ru')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/pipeline\/commands\/README\.html#what-changed-between-two-runs$/)
      expect(noise).toEqual([])
    })

    test.each([
      [390, 'light'],
      [390, 'dark'],
      [1280, 'dark'],
    ] as const)(
      'pages and results fit %i pixels, and everybody can read them in %s colours',
      async (width, colours) => {
        for (const path of ['README.html', 'pipeline/commands/README.html', 'transforms/RULES.html']) {
          const { page } = await open(path, width, colours)
          await page.locator('#query').fill('plan')
          await page.locator('summary').first().click()
          await page.addScriptTag({ content: axe.source })
          const { violations } = (await page.evaluate(AXE)) as {
            readonly violations: readonly { id: string }[]
          }
          expect([path, violations.map(({ id }) => id)]).toEqual([path, []])
          expect([path, await page.evaluate(WIDTH)]).toEqual([path, width])
          await page.close()
        }
      },
    )
  })
} else {
  test.skip(NOT_HERE, () => {})
}
