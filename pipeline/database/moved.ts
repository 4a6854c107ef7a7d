import { findMoves } from '../../loaders/ledger/moves.ts'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { UserError } from '../settings/errors.ts'
import { isMoving } from './integration-lock.ts'

/**
 * Checks that the data of a database is neither moved to another database nor still on its way into this one.
 *
 * @throws UserError that says which database to use
 */
export async function requireNotMoved(db: Db): Promise<void> {
  const why = await whyMoved(db)
  if (why !== null)
    throw new UserError('state', why.what, `${why.todo}; nothing was changed, platform untouched`)
}

/**
 * Checks that a command may write to a database.
 *
 * @throws UserError like `requireNotMoved`, and while another process moves the database
 */
export async function requireWritable({ engine, kysely }: Database): Promise<void> {
  // Another process cannot open an embedded database at the same time.
  if (engine === 'postgres' && (await isMoving(kysely)))
    throw new UserError(
      'locked',
      'the database is being moved by another process',
      'wait until it ends; nothing was changed, platform untouched',
    )
  await requireNotMoved(kysely)
}

/** Returns a line for people who read a database that no run uses; an empty text for other databases. */
export async function noteOfMove(db: Db): Promise<string> {
  const why = await whyMoved(db)
  return why === null ? '' : `note: ${why.what}; ${why.todo}\n`
}

/** Returns why no run may use a database, and what to do; null if runs may use it. */
async function whyMoved(db: Db) {
  const moves = await findMoves(db)
  const movedAt = moves.find(({ part, movedAt }) => part === 'old' && movedAt !== null)?.movedAt
  if (movedAt !== undefined)
    return {
      what: `this database was moved at ${movedAt} and refuses runs`,
      todo: 'set `database` in the configuration to the new one',
    }
  if (moves.every(({ part, movedAt }) => part === 'old' || movedAt !== null)) return null
  return {
    what: 'the move into this database is not finished',
    todo: 'set `database` in the configuration to the old one, and run `event-sync move` again',
  }
}
