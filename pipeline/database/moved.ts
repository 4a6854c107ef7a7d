import { findMoves } from '../../loaders/ledger/moves.ts'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import { UserError } from '../settings/errors.ts'
import { isMoving } from './integration-lock.ts'

/**
 * Checks that the data of a database was not moved to another database, and that no unfinished move is
 * filling the database.
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
 * @throws UserError in the cases of `requireNotMoved`, and if another process is moving the database
 */
export async function requireWritable({ engine, kysely }: Database): Promise<void> {
  // No other process can open the embedded database at the same time.
  if (engine === 'postgres' && (await isMoving(kysely)))
    throw new UserError(
      'locked',
      'the database is being moved by another process',
      'wait until it ends; nothing was changed, platform untouched',
    )
  await requireNotMoved(kysely)
}

/**
 * Returns a note for readers of a database that accepts no runs because of a move. Returns an empty text for
 * other databases.
 */
export async function noteOfMove(db: Db): Promise<string> {
  const why = await whyMoved(db)
  return why === null ? '' : `note: ${why.what}; ${why.todo}\n`
}

/**
 * Returns the reason why a database accepts no runs, and what to do. Returns null if the database accepts
 * runs.
 */
export async function whyMoved(db: Db) {
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
