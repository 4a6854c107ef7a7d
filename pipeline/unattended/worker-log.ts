import { type DestinationStream, pino } from 'pino'
import type { LogLevel } from '../log.ts'
import type { Turn } from './queue.ts'
import type { Outcome } from './turn.ts'

/** Told what a worker does, for people or machines; no value of a record, no secret. */
export interface WorkerLog {
  started(what: Readonly<Record<string, string | number>>): void
  took(turn: Turn): void
  ended(turn: Turn, outcome: Outcome): void
  /** Something that it gets over by itself. */
  trouble(what: string, error: unknown): void
  recovered(): void
  note(text: string): void
  stopping(underWay: readonly string[]): void
}

/** Trouble of one kind is told this often at most: a database may be away for hours. */
const TROUBLE_EVERY_MS = 30_000

/** Lines of text, each with its moment. */
export function textLog(write: (text: string) => void, now: () => number): WorkerLog {
  const line = (text: string) => write(`${new Date(now()).toISOString()} ${text}\n`)
  return withoutRepeats(now, {
    started: (what) =>
      line(
        `worker started (${Object.entries(what)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')})`,
      ),
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

/** JSON lines for machines. */
export function jsonLog(level: LogLevel, destination: DestinationStream, now: () => number): WorkerLog {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return withoutRepeats(now, {
    started: (what) => log.info(what, 'worker started'),
    took: ({ integrationId, id, retryCount }) =>
      log.info({ integration: integrationId, turn: id, attempt: retryCount + 1 }, 'turn begun'),
    ended({ integrationId, id, retryCount }, { reports, code, result, error }) {
      const runs = reports.map(({ run, status }) => ({ run, status }))
      const told = { integration: integrationId, turn: id, attempt: retryCount + 1, result, code, runs }
      if (error === null) log.info(told, 'turn ended')
      else log.error({ ...told, error }, 'turn ended')
    },
    trouble: (what, error) => log.warn({ what, error: messageOf(error) }, 'trouble'),
    recovered: () => log.info('the database answers again'),
    note: (text) => log.info(text),
    stopping: (underWay) => log.info({ underWay }, 'worker stops'),
  })
}

function withoutRepeats(now: () => number, log: WorkerLog): WorkerLog {
  const told = new Map<string, number>()
  return {
    ...log,
    trouble(what, error) {
      if (now() - (told.get(what) ?? Number.NEGATIVE_INFINITY) < TROUBLE_EVERY_MS) return
      told.set(what, now())
      log.trouble(what, error)
    },
    recovered() {
      told.clear()
      log.recovered()
    },
  }
}

function wordsOf({ reports, result, error }: Outcome): string {
  if (result === 'busy') return 'another process runs it; put back'
  const ended = reports.map(({ run, status }) => `${status}${run === null ? '' : ` (run ${run})`}`).join(', ')
  return error === null ? ended : `failed: ${error.replaceAll('\n', '; ')}`
}

function messageOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : String(first)
}
