import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folders with the programs of PostgreSQL 15, as the packages of Debian, PostgreSQL and Homebrew install
 * them.
 */
const PLACES = ['/usr/lib/postgresql/15/bin', '/usr/pgsql-15/bin', '/opt/homebrew/opt/postgresql@15/bin']

/**
 * Returns the folder of an installed PostgreSQL 15; null if there is none. The PostgreSQL in the npm packages
 * is newer than this version, and comes without `pg_dump`.
 */
export function findInstalled(given = process.env.TEST_POSTGRES_BIN ?? ''): string | null {
  const places = given === '' ? PLACES : [given]
  return places.find((place) => ['initdb', 'postgres'].every((name) => existsSync(join(place, name)))) ?? null
}
