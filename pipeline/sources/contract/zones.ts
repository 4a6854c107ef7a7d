import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import { type Resource, zoneKeyOf } from '../../../transforms/declare/resource.ts'
import { isJsonObject, parseJson, readText } from '../../../transforms/rules/values.ts'
import { findZone, offsetInWords, shownZone } from '../../../transforms/rules/zones.ts'
import type { ReadConfig } from './read-record.ts'
import { countsOf, type Evidence, failed, nounOf, ok, type RuleResult, recordsOf } from './rule-result.ts'
import type { SourceResource } from './source.ts'
import type { AnySourceType } from './source-type.ts'

const UNKNOWN_ZONE = 'unknown zone'
const STATED = 'states an offset'
const OTHER = 'states another offset'

/**
 * Maximum number of time zones that are counted by name. Any further time zones are counted without names.
 */
const MOST_NAMES = 5
const QUARTER_MS = 900_000
const LARGEST_OFFSET_MS = 56 * QUARTER_MS

/**
 * Returns the function that counts two kinds of records: records with an unknown time zone, and records whose
 * times have another offset than `source.timeZone` has then.
 */
export function tallyZones(
  {
    transform,
    statedOffsets = () => [],
  }: Pick<AnySourceType, 'statedOffsets'> & {
    readonly transform: { readonly resources: readonly Resource[] }
  },
  { timeZone }: ReadConfig,
  { name, columns }: Pick<SourceResource, 'name' | 'columns'>,
): (row: IncomingRow) => readonly string[] {
  const declared = transform.resources.find((resource) => resource.name === name)
  const zoneKey = declared === undefined ? null : zoneKeyOf(declared)
  const zone = timeZone === undefined ? null : findZone(timeZone)
  const names = new Set<string>()
  return ({ values, warnings, doc }) => {
    const record = doc === null ? null : parseJson(doc)
    if (!isJsonObject(record)) return []
    if (zoneKey !== null && warnings.some((warning) => warning.startsWith('unknown_zone:'))) {
      const shown = shownZone(readText(record[zoneKey]).value ?? '')
      if (names.size < MOST_NAMES) names.add(shown)
      return [UNKNOWN_ZONE, ...(names.has(shown) ? [`${UNKNOWN_ZONE}: ${shown}`] : [])]
    }
    const own = values[columns.indexOf('time_zone')] ?? timeZone
    if (zone === null || own !== timeZone) return []
    const stated = statedOffsets(record).filter(
      ({ offsetMs }) => offsetMs % QUARTER_MS === 0 && Math.abs(offsetMs) <= LARGEST_OFFSET_MS,
    )
    const other = stated.find(({ instantMs, offsetMs }) => zone.offsetMsAt(instantMs) !== offsetMs)
    if (other === undefined) return stated.length === 0 ? [] : [STATED]
    const pair = [other.offsetMs, zone.offsetMsAt(other.instantMs)].map(offsetInWords).join(' instead of ')
    return [STATED, OTHER, `${OTHER}: ${pair}`]
  }
}

/**
 * Checks that the time zones in records are known, and that `source.timeZone` matches the offsets of the
 * times in records.
 */
export function judgeZones(
  resource: string,
  timeZone: string | undefined,
  evidence: Evidence,
): readonly RuleResult[] {
  const counts = countsOf(evidence, resource)
  if (counts === null) return []
  const { tally, records } = counts
  const noun = nounOf(resource)
  const ofAll = (count: number, all: number) => `${count} of ${recordsOf(all, resource)}`
  const unknown = tally.get(UNKNOWN_ZONE) ?? 0
  const [stated, other] = [tally.get(STATED) ?? 0, tally.get(OTHER) ?? 0]
  const results: RuleResult[] = []
  if (unknown > 0) {
    const rule = { id: 'zones', sentence: `every time zone that ${noun} name is known`, clause: null }
    const read = timeZone === undefined ? 'bad_time' : `read in source.timeZone (${timeZone}), unknown_zone`
    const seen = `a time zone that is not known in ${ofAll(unknown, records)} (${examples(tally, UNKNOWN_ZONE)}): ${read}`
    results.push(failed(rule, seen, 'name IANA zones at the source, such as America/New_York'))
  }
  if (other > 0) {
    const rule = { id: 'offsets', sentence: 'source.timeZone fits the offsets of times', clause: null }
    const seen = `another offset than that of source.timeZone (${timeZone}) in ${ofAll(other, stated)} with an offset: ${examples(tally, OTHER)}`
    const todo = 'set source.timeZone to the time zone of the event'
    results.push(other * 2 > stated ? failed(rule, seen, todo) : ok(rule, seen))
  }
  return results
}

/** Lists the names in one group of the counts, each with its number. The most frequent name comes first. */
function examples(tally: ReadonlyMap<string, number>, group: string): string {
  const prefix = `${group}: `
  const found = [...tally].filter(([name]) => name.startsWith(prefix))
  const most = found.toSorted(([, one], [, two]) => two - one).slice(0, MOST_NAMES)
  return most.map(([name, count]) => `${name.slice(prefix.length)} ${count}`).join(', ')
}
