import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Tests on data that is not in this repository; without it there is nothing to run, which is no fault. */
export default defineConfig({
  test: {
    include: existsSync('../shared/suites') ? ['test/suites/**/*.suite.ts'] : [],
    passWithNoTests: true,
    testTimeout: 60_000,
  },
})
