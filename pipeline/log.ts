import { type DestinationStream, pino } from 'pino'
import type { Progress } from './observe/told.ts'
import { EXIT } from './report.ts'

/** Levels of `--log-level`, the least talkative first. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Reports progress as JSON lines for machines instead of text for people, each with integration and run.
 *
 * Its fields are those named here: names of integrations, steps, resources and hosts, counts and times, ids of sessions, and
 * the messages of errors; no value of a record. Source: README.md, "Lines of the log".
 */
export function logProgress(level: LogLevel, destination: DestinationStream): Progress {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  const runs = new Map<string, string>()
  const of = (integration: string) => ({ integration, run: runs.get(integration) ?? null })
  return {
    opened(integration, { run, command, isContinued, lastSuccessMs }) {
      runs.set(integration, run)
      const lastSuccessAt = lastSuccessMs === null ? null : new Date(lastSuccessMs).toISOString()
      log.info({ ...of(integration), command, isContinued, lastSuccessAt }, 'run opened')
    },
    step: (integration, step) => log.info({ ...of(integration), step }, 'step'),
    stepped(integration, { step, ms, errorType }) {
      log[errorType === null ? 'info' : 'warn']({ ...of(integration), step, ms, errorType }, 'step ended')
    },
    resource: (integration, resource) => log.debug({ ...of(integration), resource }, 'resource'),
    read: (integration, resource, records, bytes) =>
      log.debug({ ...of(integration), resource, records, bytes }, 'read'),
    certified(integration, certificate) {
      const { resource, certified, requests, attempts, records, faults, declared, end, detail } = certificate
      const fields = { resource, certified, requests, attempts, records, faults, declared, end, detail }
      log[certified && faults === 0 ? 'info' : 'warn']({ ...of(integration), ...fields }, 'certificate')
    },
    request(integration, { method, host, port, resource, status, ms }) {
      log.debug({ ...of(integration), method, host, port, resource, status, ms: Math.round(ms) }, 'request')
    },
    wait(integration, { what, cause, waitMs, host, status, isRetry }) {
      const fields = { what, cause, waitMs, host, status, isRetry }
      log[isRetry ? 'warn' : 'info']({ ...of(integration), ...fields }, 'wait')
    },
    resume: (integration, resource, records, savedAt) =>
      log.info({ ...of(integration), resource, records, savedAt }, 'resume'),
    planned(integration, { planHash, changes, excluded, quarantined, withheld, held }) {
      log.info({ ...of(integration), planHash, changes, excluded, quarantined, withheld }, 'plan')
      if (held !== null) {
        const { guard, detail } = held
        log.warn({ ...of(integration), planHash, guard, detail }, 'hold')
      }
    },
    batch: (integration, { number, phase, operations }) =>
      log.debug({ ...of(integration), number, phase, operations }, 'batch'),
    answered: (integration, { number, phase, operations, results }) =>
      log.info({ ...of(integration), number, phase, operations, results }, 'batch answered'),
    rejected: (integration, { seq, content, uniqueId, code }) =>
      log.warn({ ...of(integration), seq, content, uniqueId, code }, 'rejected'),
    at: (integration, point) => log.debug({ ...of(integration), point }, 'at'),
    ended(integration, { report, exitCode, meaning, todo }) {
      const { run, status, output, error = null } = report
      const fields = { integration, run, status, exitCode, meaning, todo, output, error }
      log[levelOf(exitCode)](fields, 'run ended')
    },
    untold: (integration, whom, cause) => log.warn({ ...of(integration), whom, cause }, 'untold'),
    done(integration) {
      log.info(of(integration), 'done')
      runs.delete(integration)
    },
    settled: async () => undefined,
  }
}

/** Level of a run's end: what nobody has to look at is no warning. */
function levelOf(exitCode: number): 'info' | 'warn' | 'error' {
  if (exitCode === EXIT.failed || exitCode === EXIT.usage) return 'error'
  return exitCode === EXIT.held || exitCode === EXIT.incomplete ? 'warn' : 'info'
}
