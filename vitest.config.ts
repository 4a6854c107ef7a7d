import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    maxWorkers: 2,
    // Generous, for a machine that is busy otherwise: a test that hangs fails all the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
