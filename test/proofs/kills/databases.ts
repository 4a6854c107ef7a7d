import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase, createDatabase, dropDatabase } from '../../support/postgres.ts'

/** The databases of one engine. Each folder with a configuration has a database of its own. */
export interface Databases {
  readonly engine: 'pglite' | 'postgres'
  /** Makes an empty database, or a copy of the database of another folder. */
  make(folder: string, from: string | null): Promise<void>
  variables(folder: string): Readonly<Record<string, string>>
  drop(folder: string): Promise<void>
}

export function pgliteDatabases(): Databases {
  return {
    engine: 'pglite',
    async make(folder, from) {
      mkdirSync(folder, { recursive: true })
      const kept = join(from ?? '', '.event-sync')
      if (from !== null && existsSync(kept)) cpSync(kept, join(folder, '.event-sync'), { recursive: true })
    },
    variables: () => ({}),
    drop: async () => undefined,
  }
}

/** Makes databases on a PostgreSQL server; the server also copies databases. */
export function postgresDatabases(serverUrl: string): Databases {
  const urls = new Map<string, string>()
  const urlOf = (folder: string) => urls.get(folder) ?? ''
  return {
    engine: 'postgres',
    async make(folder, from) {
      mkdirSync(folder, { recursive: true })
      const url = from === null ? createDatabase(serverUrl) : copyDatabase(serverUrl, urlOf(from))
      urls.set(folder, await url)
    },
    variables: (folder) => ({ DATABASE_URL: urlOf(folder) }),
    drop: (folder) => dropDatabase(serverUrl, urlOf(folder)),
  }
}
