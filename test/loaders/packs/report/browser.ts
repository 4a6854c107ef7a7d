import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { useOneFolder } from '../../../support/folder.ts'

/** Debian's Chromium; `CHROMIUM` names another one. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const isBrowserHere = existsSync(EXECUTABLE)

/** Name of the skipped test that replaces these tests if no browser is installed. */
export const NOT_HERE = `not run: there is no browser at ${EXECUTABLE} (apt-get install chromium, or CHROMIUM=path)`

/** An opened page, and everything it did besides being shown. */
export interface Opened {
  readonly page: Page
  /** Lines of the console, errors of scripts, dialogs, and requests for anything but the page. */
  readonly noise: readonly string[]
}

/** Opens pages from the disk, in one browser for a test file. */
export function useBrowser(): (
  text: string,
  look: { readonly width: number; readonly colorScheme: 'light' | 'dark' },
) => Promise<Opened> {
  const folder = useOneFolder()
  let browser: Browser | null = null
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: EXECUTABLE,
      // The sandbox does not work as root; the other flags keep the browser itself from using the network.
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
  return async (text, { width, colorScheme }) => {
    if (browser === null) throw new Error('the browser is open only while tests run')
    const path = join(folder, 'report.html')
    writeFileSync(path, text)
    const url = pathToFileURL(path).href
    const noise: string[] = []
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
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
