/**
 * Runs the demo and takes the screenshots for the README: `npm run screenshots`. The script needs a built
 * product and Chromium. By default it uses Debian's Chromium; the environment variable `CHROMIUM` can name
 * another program.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const COMMAND = fileURLToPath(new URL('../pipeline/bin/event-sync.js', import.meta.url))
const PICTURES = join(import.meta.dirname, '../pipeline/docs')
const VIEW = { width: 1100, height: 620 }
const MOST_BYTES = 200_000

const folder = mkdtempSync(join(tmpdir(), 'event-sync-screenshots-'))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  execFileSync(process.execPath, [COMMAND, 'demo', '--folder', join(folder, 'demo')], { stdio: 'ignore' })
  const [status = ''] = globSync('demo/**/index.html', { cwd: folder })
  const [report = ''] = globSync('demo/**/sample-a/*/report.html', { cwd: folder }).sort()
  const page = await browser.newPage({ viewport: VIEW, colorScheme: 'light' })
  let bytes = 0
  const shots = [
    { name: 'status', file: status, section: '' },
    { name: 'report', file: report, section: 'flow' },
  ]
  for (const { name, file, section } of shots) {
    const url = pathToFileURL(join(folder, file))
    url.hash = section
    await page.goto(url.href)
    const picture = join(PICTURES, `${name}.png`)
    await page.screenshot({ path: picture })
    bytes += statSync(picture).size
  }
  console.log(`${bytes} bytes of pictures in ${PICTURES}`)
  if (bytes > MOST_BYTES) throw new Error(`the pictures take ${bytes} bytes; ${MOST_BYTES} are allowed`)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
