import { configDefaults, defineConfig } from 'vitest/config'

/** Left to `npm run test:long`, so that `npm test` stays short. */
export const longTests = [
  'test/faults/**/*.test.ts',
  'test/histories/histories.test.ts',
  'test/kills/**/*.test.ts',
  'test/pipeline/commands/{demo,explain,interrupted,launcher,plan,quarantine}.test.ts',
  'test/pipeline/explain/**/*.test.ts',
  'test/pipeline/{lost-lock,sql-checks}.test.ts',
  'test/sql/{checks,personal-places,queries}.test.ts',
  'test/pipeline/demo/sample-platform/**/*.test.ts',
  'test/pipeline/{platform*,broken-platforms}.test.ts',
  'test/sql/scale/**/*.test.ts',
]

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...longTests],
    globalSetup: 'test/support/global-setup.ts',
    maxWorkers: 2,
    // Generous, for a machine that is busy otherwise: a test that hangs fails all the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
