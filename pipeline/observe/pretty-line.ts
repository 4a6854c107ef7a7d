/** Fields of a log line that are not shown as `name=value`, because the beginning of the line shows them. */
const SHOWN = ['time', 'level', 'integration', 'run', 'msg']
/** Ids that only programs need. */
const IDS = ['trace_id', 'span_id']

/**
 * Formats a JSON line of the log for people. The line has the time, the level, the integration, the message,
 * and the other fields that have a value. The id of the run is shown where a run begins and ends.
 *
 * @example `2031-05-01T06:00:09.114Z info  summit: step ended step=extract ms=120`
 */
export function prettyLine(line: string): string {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(line)
  const { time, level, integration, run, msg } = fields
  const of = typeof integration === 'string' ? `${integration}: ` : ''
  const isEdge = msg === 'run opened' || msg === 'run ended'
  const others = Object.entries(fields).filter(([name]) => ![...SHOWN, ...IDS].includes(name))
  const shown = [...(isEdge ? [['run', run] as const] : []), ...others].flatMap(([name, value]) =>
    value === null || value === '' ? [] : [` ${name}=${textOf(value)}`],
  )
  return `${time} ${String(level).padEnd(5)} ${of}${msg}${shown.join('')}\n`
}

/** Returns a value as it is, or as JSON if it has spaces, quotes or parts. */
function textOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}
