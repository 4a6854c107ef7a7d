import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Config, configSchema } from '../../../pipeline/config/config.ts'
import { checkDatabase } from '../../../pipeline/inspect/set-up.ts'
import { useFolder } from '../../support/folder.ts'
import { startHolder } from '../../support/holder.ts'
import { createDatabase } from '../../support/postgres.ts'

const folder = useFolder()

function configOf(database?: string): Config {
  const source = { type: 'a', url: 'https://source.example', eventId: '1' }
  const integrations = [{ id: 'summit', source, platform: { type: 'jsonl' } }]
  return configSchema.parse({ integrations, ...(database === undefined ? {} : { database }) })
}

function find(database?: string, env: Readonly<Record<string, string>> = {}, connectTimeoutMs?: number) {
  const secrets = { env, readFile: () => '', configFolder: folder() }
  return checkDatabase(configOf(database), secrets, connectTimeoutMs)
}

describe('the embedded database', () => {
  test('a check does not create the embedded database', async () => {
    const result = await find()
    expect(result).toMatchObject({ status: 'ok', todo: null })
    expect(result.seen).toBe(`embedded; the first run creates it in ${folder()}/.event-sync/db`)
    expect(existsSync(join(folder(), '.event-sync'))).toBe(false)
  })

  test('a check fails if the folder of the embedded database cannot be written', async () => {
    const place = join(folder(), '.event-sync')
    writeFileSync(place, '')
    const { status, seen } = await find()
    expect([status, seen]).toEqual([
      'failed',
      `the embedded database in ${place}/db cannot be written (ENOTDIR: not a directory: ${place} is not a folder; move it away, or name another path)`,
    ])
  })

  test('a check reports the folder of the embedded database, and the process that uses it', async () => {
    const directory = join(folder(), '.event-sync', 'db')
    mkdirSync(directory, { recursive: true })
    expect((await find()).seen).toBe(`embedded, in ${directory}; not in use`)
    const holder = await startHolder(directory)
    try {
      const result = await find()
      expect(result.status).toBe('not checkable')
      expect(result.seen).toBe(`embedded, in ${directory}; in use by process ${holder.pid}`)
    } finally {
      await holder.kill()
    }
    expect((await find()).status).toBe('ok')
  })
})

describe('a PostgreSQL', () => {
  test('a PostgreSQL that answers is reported as ok, and the check creates nothing in it', async () => {
    const url = await createDatabase(inject('postgresUrl'))
    expect(await find('env:URL', { URL: url })).toMatchObject({
      status: 'ok',
      seen: 'the PostgreSQL of env:URL answers',
    })
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      "select nspname from pg_namespace where nspname in ('sync', 'staging')",
    )
    await client.end()
    expect(rows).toEqual([])
  })

  test.each([
    ['does not listen', 'postgres://canary:canary@127.0.0.1:1/x', /ECONNREFUSED/],
    ['is no address', 'postgres://canary:canary@[bad', /^the PostgreSQL of env:URL cannot be used: /],
  ])(
    'a PostgreSQL that %s is reported as failed, and the result does not contain its password',
    async (_what, URL, seen) => {
      const result = await find('env:URL', { URL })
      expect(result.status).toBe('failed')
      expect(result.seen).toMatch(seen)
      expect(result.todo).toContain('check the URL in env:URL')
      expect(JSON.stringify(result)).not.toContain('canary')
    },
  )

  test('a PostgreSQL that accepts the connection but never answers is reported as failed after the timeout', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const result = await find('env:URL', { URL: `postgres://u:canary@127.0.0.1:${port}/x` }, 100)
    expect(result.status).toBe('failed')
  })

  test('a PostgreSQL with a missing secret is reported as failed, and the result names the reference of the secret', async () => {
    expect(await find('env:URL')).toMatchObject({
      status: 'failed',
      seen: 'database: the secret env:URL does not exist',
    })
  })
})
