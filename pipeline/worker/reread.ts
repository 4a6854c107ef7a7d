import type { Environment } from '../runtime/environment.ts'

/** Interval at which a worker looks if a file of its configuration was changed. */
const LOOK_EVERY_MS = 5_000

/**
 * Reads the configuration again after a file of it was changed. A change counts only if the files are the same
 * at two looks one after the other: an editor or `git pull` may be in the middle of writing them.
 *
 * @param fingerprint returns a text that differs if a file was changed
 * @param read reads the configuration; it must not reject
 * @returns reads the configuration now, whether or not a file was changed
 */
export function rereadOnChange(
  fingerprint: () => string,
  read: () => Promise<void>,
  { sleep }: Pick<Environment, 'sleep'>,
  stop: AbortSignal,
): () => void {
  let known = fingerprint()
  let reading = Promise.resolve()

  function readNow(): void {
    known = fingerprint()
    reading = reading.then(read)
  }

  async function look(): Promise<void> {
    let last = known
    while (!stop.aborted) {
      await sleep(LOOK_EVERY_MS, stop)
      const now = fingerprint()
      if (now !== known && now === last && !stop.aborted) readNow()
      last = now
    }
  }

  void look()
  return readNow
}
