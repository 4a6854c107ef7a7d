import { type DestinationStream, pino } from 'pino'
import type { Progress } from './report.ts'

/** Levels of `--log-level`, the least talkative first. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Reports progress as JSON lines for machines instead of text for people.
 *
 * Its fields are those named here: names of integrations, steps and resources, counts and times, no value of a record.
 */
export function logProgress(level: LogLevel, destination: DestinationStream): Progress {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    step: (integration, step) => log.info({ integration, step }, 'step'),
    read: (integration, resource, records, bytes) =>
      log.debug({ integration, resource, records, bytes }, 'read'),
    wait: (integration, what, cause, waitMs) => log.warn({ integration, what, cause, waitMs }, 'wait'),
    resume: (integration, resource, records, savedAt) =>
      log.info({ integration, resource, records, savedAt }, 'resume'),
    at: (integration, point) => log.debug({ integration, point }, 'at'),
    done: (integration) => log.info({ integration }, 'done'),
  }
}
