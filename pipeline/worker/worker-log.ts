import { type DestinationStream, pino } from 'pino'
import type { Turn } from '../database/queue.ts'
import type { LogLevel } from '../runtime/log-levels.ts'
import type { JobResult } from './turn.ts'

/** The log of a worker, for people or machines; no value of a record, no secret. */
export interface WorkerLog {
  started(what: Readonly<Record<string, string | number>>): void
  took(turn: Turn): void
  ended(turn: Turn, outcome: JobResult): void
  /** A fault from which the worker recovers by itself. */
  trouble(what: string, error: unknown): void
  recovered(): void
  note(text: string): void
  stopping(underWay: readonly string[]): void
}

/** Trouble of one kind is logged this often at most: a database may be away for hours. */
const TROUBLE_EVERY_MS = 30_000

export function textLog(write: (text: string) => void, now: () => number): WorkerLog {
  const line = (text: string) => write(`${new Date(now()).toISOString()} ${text}\n`)
  return withoutRepeats(now, {
    started(what) {
      const settings = Object.entries(what).map(([name, value]) => `${name} ${value}`)
      line(`worker started (${settings.join(', ')})`)
    },
    took: ({ integrationId, retryCount }) =>
      line(`${integrationId}: begun${retryCount === 0 ? '' : `, try ${retryCount + 1}`}`),
    ended: ({ integrationId }, outcome) => line(`${integrationId}: ${wordsOf(outcome)}`),
    trouble: (what, error) => line(`cannot ${what}: ${messageOf(error)}; tries again`),
    recovered: () => line('the database answers again'),
    note: line,
    stopping: (underWay) =>
      line(`worker stops${underWay.length === 0 ? '' : `, after ${underWay.join(', ')}`}`),
  })
}

export function jsonLog(level: LogLevel, destination: DestinationStream, now: () => number): WorkerLog {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return withoutRepeats(now, {
    started: (what) => log.info(what, 'worker started'),
    took: ({ integrationId, id, retryCount }) =>
      log.info({ integration: integrationId, turn: id, attempt: retryCount + 1 }, 'turn begun'),
    ended({ integrationId, id, retryCount }, { reports, code, result, error }) {
      const runs = reports.map(({ run, status }) => ({ run, status }))
      const ended = { integration: integrationId, turn: id, attempt: retryCount + 1, result, code, runs }
      if (error === null) log.info(ended, 'turn ended')
      else log.error({ ...ended, error }, 'turn ended')
    },
    trouble: (what, error) => log.warn({ what, error: messageOf(error) }, 'trouble'),
    recovered: () => log.info('the database answers again'),
    note: (text) => log.info(text),
    stopping: (underWay) => log.info({ underWay }, 'worker stops'),
  })
}

function withoutRepeats(now: () => number, log: WorkerLog): WorkerLog {
  const loggedMs = new Map<string, number>()
  return {
    ...log,
    trouble(what, error) {
      if (now() - (loggedMs.get(what) ?? Number.NEGATIVE_INFINITY) < TROUBLE_EVERY_MS) return
      loggedMs.set(what, now())
      log.trouble(what, error)
    },
    recovered() {
      loggedMs.clear()
      log.recovered()
    },
  }
}

function wordsOf({ reports, result, error }: JobResult): string {
  if (result === 'busy') return 'another process runs it; put back'
  const ended = reports.map(({ run, status }) => `${status}${run === null ? '' : ` (run ${run})`}`).join(', ')
  return error === null ? ended : `failed: ${error.replaceAll('\n', '; ')}`
}

function messageOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (typeof first !== 'object' || first === null) return String(first)
  // The queue also emits objects that are no errors.
  return 'message' in first ? String(first.message) : JSON.stringify(first)
}
