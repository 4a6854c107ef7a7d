import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Tests on data that is not in this repository; without it there is nothing to run, which is no fault. */
const isHere = existsSync('../shared/suites')

export default defineConfig({
  test: {
    include: isHere ? ['test/suites/**/*.suite.ts'] : [],
    passWithNoTests: true,
    globalSetup: isHere ? ['test/support/global-setup.ts'] : [],
    // LibreOffice takes its time on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})
