import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, onTestFinished } from 'vitest'

/**
 * Makes an empty folder and registers its deletion.
 *
 * @param atEnd a function that registers the deletion; default: at the end of the test
 */
export function makeFolder(atEnd: (end: () => void) => unknown = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Makes a new empty folder for each test of a file or block. */
export function useFolder(): () => string {
  let folder = ''
  beforeEach(() => {
    folder = makeFolder()
  })
  return () => folder
}

/** Makes a new empty folder for all tests of a file or block. */
export function useOneFolder(): string {
  return makeFolder(afterAll)
}
