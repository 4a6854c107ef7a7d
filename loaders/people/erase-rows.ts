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

/** Placeholder for the token that replaces an id; an id that is null stays null. */
export const TOKEN = Symbol('token')
/** Placeholder for the value that replaces a hash of personal values. */
export const HASH = Symbol('hash')

/** Makes the step that overwrites values in the person's rows. @param to the new values, by column name */
export function rewritten(to: Readonly<Record<string, Cell | typeof TOKEN | typeof HASH>>): Step {
  return onRows('overwritten', Object.keys(to), ({ table }, token) => {
    const assignments = Object.entries(to).map(([name, value]) => {
      const column = sql.ref(name)
      if (value === TOKEN) return sql`${column} = case when ${column} is null then null else ${token} end`
      return sql`${column} = ${value === HASH ? hashInstead(token) : value}`
    })
    return sql`update ${sql.table(table)} as held set ${sql.join(assignments)}`
  })
}

/** Makes the step that deletes the person's rows. */
export function deleted(...columns: readonly string[]): Step {
  return onRows('deleted', columns, ({ table }) => sql`delete from ${sql.table(table)} as held`)
}

/**
 * Deletes the suppressions of the person in the source event, whichever integration made them. The
 * suppressions are found by id and by address.
 */
export const suppressedDeleted: Step = {
  does: 'deleted, also if another integration of the source event left out the person',
  columns: ['unique_id', 'suppressed_by', 'reason'],
  async erase({ transaction, tokens, addresses, log, ...sourceBinding }, { table }) {
    log.add(table, await eraseSuppressed(transaction, sourceBinding, [...tokens.keys()], addresses))
  },
}

/**
 * Deletes incomplete readings of runs that died, because such readings may contain values of any person. No
 * run is in progress at this time, so no reading is still in use.
 */
export const halfReadDeleted: Step = {
  does: 'all rows are deleted, because the rest of a dead run may name any person',
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

/** Returns true if any of the given tables has a row of the person. */
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
