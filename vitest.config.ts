import { configDefaults, defineConfig } from 'vitest/config'

/**
 * A test's file name says which project it belongs to, and so what is set up for it:
 *
 * - `*.test.ts` nothing: functions, files, servers on loopback
 * - `*.database.test.ts` a PostgreSQL server, an embedded database, and templates of both
 * - `*.long.test.ts` the same; left to `npm run test:long`, so that `npm test` stays short
 * - `*.suite.ts` the same; reads data that is not in this repository, and is skipped where it is not there
 */
export default defineConfig({
  // Sources from outside import the package by its name; here that is these files, without a build.
  resolve: {
    alias: [
      { find: /^event-content-sync\/(.+)$/, replacement: `${import.meta.dirname}/pipeline/library/$1.ts` },
    ],
  },
  test: {
    reporters: ['default', './test/support/skipped.ts'],
    maxWorkers: 2,
    // Tests that run side by side wait most of their time.
    maxConcurrency: 10,
    // Generous, for a machine that is busy otherwise: a test that hangs still fails.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        test: {
          name: 'pure',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/**/*.{database,long}.test.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          name: 'database',
          include: ['test/**/*.database.test.ts'],
          globalSetup: 'test/support/global-setup.ts',
          isolate: false,
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          globalSetup: 'test/support/global-setup.ts',
        },
      },
      {
        test: {
          name: 'suites',
          include: ['test/suites/*.suite.ts'],
          // LibreOffice takes its time on a busy machine.
          testTimeout: 180_000,
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
})
