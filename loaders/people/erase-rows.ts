import { type RawBuilder, sql } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import { eraseSuppressed } from '../ledger/suppressed.ts'
import { dropLeftReadings } from '../staging/readings.ts'
import {
  CONTENTS_OF_PEOPLE,
  type Erasing,
  hashInstead,
  NO_RUN,
  type Place,
  type RunsOfRow,
  type Step,
} from './erasure.ts'

/** In place of an id; null stays null. */
export const TOKEN = Symbol('token')
/** In place of a hash over values of the person. */
export const HASH = Symbol('hash')

/** Empties rows of the person. @param to values that replace those of a forgotten person, by column */
export function rewritten(to: Readonly<Record<string, Cell | typeof TOKEN | typeof HASH>>): Step {
  return onRows('rewritten', Object.keys(to), ({ table }, token) => {
    const assignments = Object.entries(to).map(([name, value]) => {
      const column = sql.ref(name)
      if (value === TOKEN) return sql`${column} = case when ${column} is null then null else ${token} end`
      return sql`${column} = ${value === HASH ? hashInstead(token) : value}`
    })
    return sql`update ${sql.table(table)} as held set ${sql.join(assignments)}`
  })
}

/** Deletes rows of the person. */
export function deleted(...columns: readonly string[]): Step {
  return onRows('deleted', columns, ({ table }) => sql`delete from ${sql.table(table)} as held`)
}

/** Deletes what was left out by hand of the source event, by any integration, also under an address. */
export const suppressedDeleted: Step = {
  does: 'deleted, whichever integration of the source event left it out',
  columns: ['unique_id', 'suppressed_by', 'reason'],
  async erase({ transaction, tokens, addresses, log, ...sourceBinding }, { table }) {
    log.add(table, await eraseSuppressed(transaction, sourceBinding, [...tokens.keys()], addresses))
  },
}

/** Drops what runs that died have left half read, which may hold anybody; no run is under way. */
export const halfReadDeleted: Step = {
  does: 'all deleted: what a run that died has left may hold anybody',
  columns: ['place'],
  erase: ({ transaction, integrationId }) => dropLeftReadings(transaction, integrationId, NO_RUN),
}

function onRows(
  does: string,
  columns: readonly string[],
  statement: (place: Place, token: string) => RawBuilder<unknown>,
): Step {
  return {
    does,
    columns,
    async erase(erasing, place) {
      for (const [id, token] of erasing.tokens) {
        const { rows } = await sql<RunsOfRow>`
          ${statement(place, token)} where ${isOf(erasing, place, id)} returning held.*`.execute(
          erasing.transaction,
        )
        for (const row of rows) erasing.log.runsOf(place, row)
        erasing.log.add(place.table, rows.length)
      }
    },
  }
}

/** Returns whether any of some places has a row that is the person's own. */
export async function hasRow(of: OfSource, places: readonly Place[], id: string): Promise<boolean> {
  for (const place of places.filter(({ key }) => key !== undefined)) {
    const table = sql.table(place.table)
    const { rows } = await sql`select from ${table} where ${isOf(of, place, id)} limit 1`.execute(
      of.transaction,
    )
    if (rows.length > 0) return true
  }
  return false
}

type OfSource = Pick<Erasing, 'transaction' | 'integrationId' | 'source'>

function isOf({ integrationId, source }: OfSource, { key = '', among }: Place, id: string) {
  const isOwn = sql`integration_id = ${integrationId} and ${sql.ref(key)} = ${id}`
  if (among === 'resource') return sql`${isOwn} and resource = ${source.people.resource}`
  return among === 'content' ? sql`${isOwn} and content in (${sql.join([...CONTENTS_OF_PEOPLE])})` : isOwn
}
