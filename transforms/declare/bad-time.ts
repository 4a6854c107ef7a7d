import { sql } from 'kysely'
import type { Instant } from './column.ts'
import type { Exclusion } from './content.ts'
import type { ExclusionReason } from './field.ts'
import type { ColumnOf } from './resource.ts'

type InstantColumn = ColumnOf<string, Instant | null>

/**
 * Declares that a session is left out if a time cannot be read, or if its end is not after its start.
 *
 * @param start column with the start, which the function `time` made
 * @param of name in messages for the record that has the times
 * @param unreadable advice to the organiser if a time cannot be read
 * @param unordered reason and advice to the organiser if the end is not after the start
 */
export function badTime<Options>(
  start: InstantColumn,
  end: InstantColumn,
  of: string,
  unreadable: string,
  { columns, ...unordered }: ExclusionReason,
): Exclusion<Options> {
  return {
    reason: 'bad_time',
    when: ({ at }) => sql`(${at(start)} is null or ${at(end)} is null or ${at(end)} <= ${at(start)})`,
    explanation(records) {
      const isUnreadable = ({ table, name }: ColumnOf) => records[table]?.[`${name}_status`] === 'unreadable'
      const ends = [...(isUnreadable(start) ? ['start'] : []), ...(isUnreadable(end) ? ['end'] : [])]
      if (ends.length === 0) return { ...unordered, columns }
      const why = `The ${ends.join(' and the ')} of ${of} cannot be read as a time.`
      return { why, todo: unreadable, columns }
    },
  }
}
