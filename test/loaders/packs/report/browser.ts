import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { useOneFolder } from '../../../support/folder.ts'

/** The path of Debian's Chromium. The environment variable `CHROMIUM` can name another browser. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const isBrowserHere = existsSync(EXECUTABLE)

/** If no browser is installed, one skipped test with this name replaces the tests in a browser. */
export const NOT_HERE = `not run: there is no browser at ${EXECUTABLE} (apt-get install chromium, or CHROMIUM=path)`

/** A page in the browser, and everything that it did apart from being shown. */
export interface Opened {
  readonly page: Page
  /**
   * Everything that a page must not do: write to the console, fail in a script, open a dialog, or request
   * other addresses.
   */
  readonly noise: readonly string[]
}

/** Starts a browser, which all tests of a test file share. */
export function useChromium(): () => Browser {
  let browser: Browser | null = null
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: EXECUTABLE,
      // Chromium's sandbox does not work for root. The other flags keep the browser from using the network
      // for its own purposes.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })
  afterAll(() => browser?.close())
  return () => {
    if (browser === null) throw new Error('the browser is open only while tests run')
    return browser
  }
}

/** Opens pages from files. All tests of a test file share one browser. */
export function useBrowser(): (
  text: string,
  look: { readonly width: number; readonly colorScheme: 'light' | 'dark' },
) => Promise<Opened> {
  const folder = useOneFolder()
  const browser = useChromium()
  return async (text, { width, colorScheme }) => {
    const path = join(folder, 'report.html')
    writeFileSync(path, text)
    const url = pathToFileURL(path).href
    const noise: string[] = []
    const page = await browser().newPage({ viewport: { width, height: 900 }, colorScheme })
    page.on('console', (message) => noise.push(`console: ${message.text()}`))
    page.on('pageerror', (error) => noise.push(`error: ${error.message}`))
    page.on('dialog', (dialog) => {
      noise.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (request.url() !== url) noise.push(`request: ${request.url()}`)
    })
    await page.goto(url, { waitUntil: 'load' })
    return { page, noise }
  }
}
