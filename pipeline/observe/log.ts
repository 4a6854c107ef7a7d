import { type DestinationStream, type Logger, pino } from 'pino'
import type { Listener, RunEvent } from '../runtime/events.ts'
import type { LogLevel } from '../runtime/log-levels.ts'
import { pick } from '../runtime/pick.ts'
import { EXIT } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { prettyLine } from './pretty-line.ts'

/** Opens a log of JSON lines with the time in ISO-8601 and the name of the level. */
export function openLog(level: LogLevel, destination: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, destination)
}

/**
 * Returns where the log lines of a command go: to standard error, as JSON or, with `LOG_FORMAT=pretty`, as
 * text for people.
 *
 * @throws UserError if `LOG_FORMAT` has another value than `json` or `pretty`
 */
export function logTo({ env, stderr }: LogPlace): DestinationStream {
  const { LOG_FORMAT: format = '' } = env
  if (format === 'pretty') return { write: (line) => stderr.write(prettyLine(line)) }
  if (format === '' || format === 'json') return stderr
  throw new UserError(
    'usage',
    `the environment variable LOG_FORMAT is ${JSON.stringify(format)}`,
    'set it to json or pretty, or unset it',
  )
}

interface LogPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stderr: { write(text: string): unknown }
}

/**
 * Writes events as JSON lines, which other programs can read. Each line has the integration and the run.
 *
 * The fields contain counts and times, names of integrations, steps, resources and hosts, ids of sessions,
 * and error messages. No field contains a value of a record at the source. The fields are described in
 * pipeline/observe/README.md, "Lines of the log".
 */
export function logEvents(level: LogLevel, destination: DestinationStream): Listener {
  const log = openLog(level, destination)
  const runs = new Map<string, string>()
  return {
    emit(integration, event, span = null) {
      const ids = span === null ? {} : { trace_id: span.traceId, span_id: span.spanId }
      if (event.type === 'run opened') runs.set(integration, event.run)
      for (const [at, msg, fields] of linesOf(event)) {
        log[at]({ integration, run: runs.get(integration) ?? null, ...ids, ...fields }, msg)
      }
      if (event.type === 'done') runs.delete(integration)
    },
  }
}

type LogLine = readonly [level: 'debug' | 'info' | 'warn' | 'error', msg: string, fields: object]

function linesOf(event: RunEvent): readonly LogLine[] {
  switch (event.type) {
    case 'run opened': {
      const { command, isContinued, lastSuccessMs } = event
      const lastSuccessAt = lastSuccessMs === null ? null : new Date(lastSuccessMs).toISOString()
      return [['info', 'run opened', { command, isContinued, lastSuccessAt }]]
    }
    case 'step begun':
      return [['info', 'step', pick(event, 'step')]]
    case 'step ended':
      return [
        [event.errorType === null ? 'info' : 'warn', 'step ended', pick(event, 'step', 'ms', 'errorType')],
      ]
    case 'reading begun':
      return [['debug', 'resource', pick(event, 'resource')]]
    case 'read':
      return [['debug', 'read', pick(event, 'resource', 'records', 'bytes')]]
    case 'reading ended': {
      const { resource, certified, requests, attempts, records, faults, declared, end, detail } = event
      const fields = { resource, certified, requests, attempts, records, faults, declared, end, detail }
      return [[certified && faults === 0 ? 'info' : 'warn', 'certificate', fields]]
    }
    case 'reading resumed':
      return [['info', 'resume', pick(event, 'resource', 'records', 'savedAt')]]
    case 'request': {
      const fields = pick(event, 'method', 'host', 'port', 'resource', 'status', 'ms')
      return [['debug', 'request', { ...fields, ms: Math.round(event.ms) }]]
    }
    case 'wait': {
      const fields = pick(event, 'what', 'cause', 'waitMs', 'host', 'status', 'isRetry')
      return [[event.isRetry ? 'warn' : 'info', 'wait', fields]]
    }
    case 'planned': {
      const { planHash, held } = event
      const fields = pick(event, 'planHash', 'changes', 'excluded', 'quarantined', 'withheld')
      const hold: readonly LogLine[] =
        held === null ? [] : [['warn', 'hold', { planHash, guard: held.guard, detail: held.detail }]]
      return [['info', 'plan', fields], ...hold]
    }
    case 'batch sent':
      return [['debug', 'batch', pick(event, 'number', 'phase', 'operations')]]
    case 'batch answered':
      return [['info', 'batch answered', pick(event, 'number', 'phase', 'operations', 'results')]]
    case 'rejected':
      return [['warn', 'rejected', pick(event, 'seq', 'content', 'uniqueId', 'code')]]
    case 'reached':
      return [['debug', 'at', pick(event, 'point')]]
    case 'run ended': {
      const { report, exitCode, meaning, todo } = event
      const { run, status, pinned, output, error = null } = report
      const fields = { run, status, exitCode, meaning, todo, output, error }
      return [[levelOf(exitCode), 'run ended', pinned === null ? fields : { ...fields, pinned }]]
    }
    case 'delivery failed':
      return [['warn', 'delivery failed', { whom: event.to, cause: event.cause }]]
    case 'done':
      return [['info', 'done', {}]]
  }
}

function levelOf(exitCode: number): LogLine[0] {
  if (exitCode === EXIT.failed || exitCode === EXIT.usage) return 'error'
  return exitCode === EXIT.held || exitCode === EXIT.incomplete ? 'warn' : 'info'
}
