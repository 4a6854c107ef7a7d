import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabase } from '../support/postgres.ts'

/** Databases of one engine, each beside the configuration of a folder. */
export interface Databases {
  readonly engine: 'pglite' | 'postgres'
  /** Makes an empty database, or a copy of another folder's. */
  make(folder: string, from: string | null): Promise<void>
  variables(folder: string): Readonly<Record<string, string>>
  drop(folder: string): Promise<void>
}

/** The embedded database is a directory. */
export function pgliteDatabases(): Databases {
  return {
    engine: 'pglite',
    async make(folder, from) {
      mkdirSync(folder, { recursive: true })
      if (from === null) return
      const kept = join(from, '.event-sync')
      if (existsSync(kept)) cpSync(kept, join(folder, '.event-sync'), { recursive: true })
    },
    variables: () => ({}),
    drop: async () => undefined,
  }
}

/** Databases on a server; copies are made by the server. */
export function postgresDatabases(serverUrl: string): Databases {
  const urls = new Map<string, string>()

  async function administer(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }

  function nameOf(folder: string): string {
    return new URL(urls.get(folder) ?? '').pathname.slice(1)
  }

  return {
    engine: 'postgres',
    async make(folder, from) {
      mkdirSync(folder, { recursive: true })
      if (from === null) {
        urls.set(folder, await createDatabase(serverUrl))
        return
      }
      const url = new URL(serverUrl)
      url.pathname = `/${nameOf(from)}_${Math.random().toString(36).slice(2, 10)}`
      await administer(`create database ${url.pathname.slice(1)} template ${nameOf(from)}`)
      urls.set(folder, url.href)
    },
    variables: (folder) => ({ DATABASE_URL: urls.get(folder) ?? '' }),
    drop: (folder) => administer(`drop database ${nameOf(folder)} with (force)`),
  }
}
