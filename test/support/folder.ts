import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'

/** A new empty folder for each test of a file or block. */
export function useFolder(): () => string {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'event-sync-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return () => folder
}

/** A new empty folder for all tests of a file or block. */
export function useOneFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
