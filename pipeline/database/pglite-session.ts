import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { EngineSession } from '../../sql/database.ts'
import { systemCodeOf } from '../runtime/not-writable.ts'
import { packageRoot } from '../runtime/package-root.ts'

/** The flag SECURITY_LOCAL_USERID_CHANGE of PostgreSQL: the session cannot change its user. */
const USER_IS_FIXED = 1

/** SQLSTATE of a statement for which the user has no right. */
const NO_RIGHT = '42501'

/** Statements with which a superuser who works as another role becomes superuser again. */
const WAYS_BACK = ['reset role', 'reset session authorization', "select set_config('role', 'none', false)"]

/**
 * Makes the roles for readers, and gives the engine's session to one of them.
 *
 * PGlite runs everything as superuser. After `set role`, a client could use `reset role` to become superuser
 * again. The engine therefore gets the user in the way in which it enters a function with `security definer`:
 * PostgreSQL then checks every right as that user, and refuses to change the user. The flag remains after
 * transactions and errors, and no SQL statement removes it.
 *
 * @throws Error if the engine lets the role become superuser again
 */
export async function openSessionAs(pglite: PGlite, role: string): Promise<EngineSession> {
  for (const script of ['create.sql', 'grant.sql', 'embedded.sql'])
    await pglite.exec(readFileSync(join(packageRoot, 'sql', 'roles', script), 'utf8'))
  const { rows } = await pglite.query<{ oid: number }>('select oid::int from pg_roles where rolname = $1', [
    role,
  ])
  const setUser: unknown = Reflect.get(pglite.Module, '_SetUserIdAndSecContext')
  const oid = rows[0]?.oid
  if (oid === undefined || typeof setUser !== 'function') throw new Error(`the engine cannot work as ${role}`)
  const beRole = () => setUser(oid, USER_IS_FIXED)
  beRole()
  for (const wayBack of WAYS_BACK) await requireRefused(pglite, wayBack)
  return {
    async send(messages, onAnswer) {
      await pglite.runExclusive(async () => {
        beRole()
        // The engine uses its memory again for the next answer.
        await pglite.execProtocolRawStream(messages, { onRawData: (bytes) => onAnswer(Buffer.from(bytes)) })
      })
    },
    isInTransaction: () => pglite.isInTransaction(),
  }
}

async function requireRefused(pglite: PGlite, statement: string): Promise<void> {
  const code = await pglite.exec(statement).then(
    () => null,
    (error: unknown) => systemCodeOf(error),
  )
  if (code !== NO_RIGHT)
    throw new Error(
      `the engine does not refuse "${statement}", so clients could change the database; nothing is served`,
    )
}
