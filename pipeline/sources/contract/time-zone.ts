import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import { isJsonObject, type Json } from '../../../transforms/rules/json.ts'
import { type Finding, failed, notCheckable, ok, type Rule } from './findings.ts'
import { counted, countsOf, type Evidence, nounOf, whyNotRead } from './reads.ts'
import type { Resource } from './source.ts'

/** Counts records whose times lack nothing but a zone. */
const NO_ZONE = 'no zone'

const TIMES = ['start_time', 'end_time'] as const

/** Makes the tally of records with a time that cannot be read now but could in a time zone, such as UTC. */
export function tallyZoneless({ columns }: Pick<Resource, 'columns'>, inUtc: Pick<Resource, 'read'>) {
  const statusAt = TIMES.map((time) => columns.indexOf(`${time}_status`))
  return ({ values, doc }: IncomingRow): string | null => {
    const unreadable = TIMES.filter((_, index) => values[statusAt[index] ?? -1] === 'unreadable')
    if (unreadable.length === 0 || doc === null) return null
    const record: Json = JSON.parse(doc)
    const read = isJsonObject(record) ? inUtc.read(record) : null
    if (read === null || 'message' in read) return null
    const canBeRead = (time: string) => read.values[time]?.value != null
    return unreadable.some(canBeRead) ? NO_ZONE : null
  }
}

/** Says whether times that carry no offset have a zone to be read in; without one they are `bad_time`. */
export function timeZoneFinding(
  resource: string,
  clause: string | null,
  timeZone: string | undefined,
  evidence: Evidence,
): Finding {
  const rule: Rule = { id: 'timeZone', sentence: 'every time has an offset or a time zone', clause }
  if (timeZone !== undefined) return ok(rule, `source.timeZone is ${timeZone}, for times without an offset`)
  const counts = countsOf(evidence, resource)
  const noun = nounOf(resource)
  if (counts === null) return notCheckable(rule, whyNotRead(evidence, resource))
  if (counts.filled('start_time') + counts.unusable('start_time') === 0) {
    return notCheckable(rule, `no times came with ${noun}`)
  }
  const zoneless = counts.tally.get(NO_ZONE) ?? 0
  const all = counted(counts.records, resource)
  if (zoneless === 0) return ok(rule, `source.timeZone is not set, and no time of ${all} needs it`)
  const seen = `times without an offset in ${zoneless} of ${all}, and source.timeZone is not set: bad_time`
  return failed(rule, seen, 'set source.timeZone to the time zone of the event, such as America/New_York')
}
