import { findZone, localTime } from '../../transforms/rules/zones.ts'

/** Cells of a row by column name, without the guard against formulas. */
type Row = Readonly<Record<string, string>>

/** Each column with a time on the clocks of the row's zone, and the column with the same time in UTC. */
const LOCAL_TIMES = [
  ['local_start', 'start_time'],
  ['local_end', 'end_time'],
] as const

/**
 * Matches the years in which local times are compared. Time zone data of different programs differ before
 * 1970, and the local time of the last day of the year 9999 may be in the year 10000.
 */
const COMPARED = /^(?:19[7-9]|[2-9]\d\d)\d/
const LAST_YEAR = /^9999/

/** Matches a zone whose clocks no country can change. */
const FIXED_ZONE = /^(?:UTC$|[+-])/i

/**
 * Checks the local times of a row of `agenda.csv`: they are the times in UTC, on the clocks of the row's
 * zone. Rows of other files have no local times.
 *
 * A country can change its clocks after a pack was written, and this machine may have older data of time
 * zones than the one that wrote the pack. So another local time in a named zone is not a fault.
 *
 * @param onOther is called for each local time that differs from the data of this machine
 * @returns the column and its fault; null if there is no fault
 */
export function faultOfLocalTimes(row: Row, onOther: () => void): string | null {
  const { zone = '' } = row
  if (zone !== '' && findZone(zone)?.name !== zone) return 'column zone: is not a time zone'
  for (const [local, utc] of LOCAL_TIMES) {
    const [shown = '', instant = ''] = [row[local], row[utc]]
    if (shown !== '' && (zone === '' || instant === ''))
      return `column ${local}: there is no zone or no ${utc}`
    if (zone === '' || !COMPARED.test(instant) || LAST_YEAR.test(instant)) continue
    if (shown === '') return `column ${local}: is absent`
    if (shown === localTime(instant, zone)) continue
    if (FIXED_ZONE.test(zone)) return `column ${local}: is not ${utc} in the zone`
    onOther()
  }
  return null
}
