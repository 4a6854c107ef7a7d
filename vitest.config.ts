import { configDefaults, defineConfig } from 'vitest/config'

/** Left to `npm run test:long`, so that `npm test` stays short. */
export const longTests = [
  'test/bench/guard.test.ts',
  'test/faults/**/*.test.ts',
  'test/forgetting/**/*.test.ts',
  'test/guides.test.ts',
  'test/histories/histories.test.ts',
  'test/kills/**/*.test.ts',
  'test/loaders/audit/report/*.browser.test.ts',
  'test/loaders/audit/verify/{attacks,honest}.test.ts',
  'test/pipeline/commands/{check,demo,explain,interrupted,launcher,plan,quarantine,reading,unattended}.test.ts',
  'test/pipeline/explain/**/*.test.ts',
  'test/pipeline/extract/shared-rate.test.ts',
  'test/pipeline/observe/**/*.test.ts',
  'test/pipeline/{export,full-disk,lost-lock,same-bytes,sql-checks}.test.ts',
  'test/readme-commands.test.ts',
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
