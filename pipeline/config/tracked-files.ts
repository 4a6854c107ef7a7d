import type { ConfigEnvironment } from '../settings/secrets.ts'

/**
 * Tracks from which files a configuration was read, so that a worker notices a change.
 *
 * @param versionOf returns a text that changes with the content of a file, such as its time and size
 */
export function trackFiles(versionOf: (path: string) => string) {
  const files = new Set<string>()
  const globs = new Map<string, () => readonly string[]>()
  return {
    /** Returns an environment that tracks which files are read. The files of an earlier reading are forgotten. */
    tracking(environment: ConfigEnvironment): ConfigEnvironment {
      files.clear()
      globs.clear()
      return {
        ...environment,
        readFile(path) {
          files.add(path)
          return environment.readFile(path)
        },
        findFiles(glob) {
          const find = () => environment.findFiles?.(glob) ?? []
          globs.set(glob, find)
          return find()
        },
      }
    },
    /** Returns a text that differs if a file was changed or removed, or if there is one more. */
    fingerprint(): string {
      const versions = Array.from(files, (path) => [path, versionOf(path)])
      const found = Array.from(globs, ([glob, find]) => [glob, ...find()])
      return JSON.stringify([versions, found])
    },
  }
}

export type TrackedFiles = ReturnType<typeof trackFiles>
