import type { Retries } from '../http/retry.ts'

/** Seconds that may be spent on waiting before the source has answered at all. */
export const FIRST_CONTACT_SECONDS = 5

/** Retries as in a run, but few before the source has answered at all: a wrong address does not get better. */
export function quickAtFirst(quick: Retries, patient: Retries): Retries {
  let hasAnswered = false
  return {
    signal: patient.signal,
    stop() {
      quick.stop()
      patient.stop()
    },
    async run(what, read) {
      const result = await (hasAnswered ? patient : quick).run(what, read)
      hasAnswered = true
      return result
    },
  }
}
