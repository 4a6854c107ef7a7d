import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findTablesOf } from '../../loaders/ledger/tables.ts'
import { runInProcess } from '../pipeline/commands/in-process.ts'
import type { Workspace } from '../pipeline/commands/workspace.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { begin, configure } from './ended-event.ts'

async function rowsOf(workspace: Workspace, id: string): Promise<number> {
  const tables = await workspace.rows(`
    select table_schema || '.' || table_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'integration_id' and table_type = 'BASE TABLE'`)
  let count = 0
  for (const { name } of tables) {
    const [row] = await workspace.rows(
      `select count(*)::int as n from ${name} where integration_id = '${id}'`,
    )
    count += Number(row?.n)
  }
  return count
}

test('after erase, the database and the queue contain nothing of the event, and its packs only the manifests', async () => {
  const { workspace, url } = await begin()
  const before = await rowsOf(workspace, 'expo')
  const asked = await workspace.run('erase', 'summit')
  expect([asked.code, asked.stderr]).toEqual([
    64,
    expect.stringContaining('--confirm summit`; nothing was erased'),
  ])
  expect((await workspace.run('erase', 'summit', '--confirm', 'expo')).code).toBe(64)
  expect((await workspace.run('erase', 'autumn', '--confirm', 'autumn')).code).toBe(64)
  expect(await rowsOf(workspace, 'summit')).toBeGreaterThan(10)

  const { code, stdout } = await workspace.run('erase', 'summit', '--confirm', 'summit')
  expect([code, stdout]).toEqual([0, expect.stringContaining('summit: erased\n')])
  expect(stdout).toContain('whom it kept out, expo still keeps out')
  expect(stdout).toContain('take summit out of the configuration')
  expect(await rowsOf(workspace, 'summit')).toBe(0)
  expect(await rowsOf(workspace, 'expo')).toBe(before)
  expect(await workspace.rows(`select key from queue.schedule where key in ('summit', 'expo')`)).toEqual([
    { key: 'expo' },
  ])
  const folder = join(workspace.folder, 'out', 'summit')
  for (const entry of readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory()))
    expect(readdirSync(join(folder, entry.name)).sort()).toEqual(
      expect.arrayContaining(['details.json', 'manifest.json', 'purged.json']),
    )
  expect(workspace.files('out', 'summit').filter((file) => file.endsWith('.csv'))).toEqual([])
  expect((await workspace.run('verify', 'out/summit')).stdout).toContain('purged')

  // The other integration of the event still keeps out the same people.
  configure(workspace, url, ['expo'])
  expect((await workspace.report('run', 'expo')).code).toBe(0)
  const query = `select unique_id from published.attendees where integration_id = 'expo' order by 1`
  expect(await workspace.rows(query)).toEqual([{ unique_id: 'u1' }, { unique_id: 'u4' }])
  expect((await workspace.run('verify', 'out')).code).toBe(0)
})

test('erase also deletes the files of packs that the database does not know, and what a dead run left', async () => {
  const { workspace } = await begin()
  const dead = '01ffffff-0000-7000-8000-000000000001'
  const folder = join(workspace.folder, 'out', 'summit')
  mkdirSync(join(folder, dead))
  writeFileSync(join(folder, dead, 'operations.jsonl'), 'half a run\n')
  await workspace.rows("update sync.runs set manifest_sha256 = null where integration_id = 'summit'")
  expect((await workspace.run('erase', 'summit', '--confirm', 'summit')).code).toBe(0)
  expect(workspace.files('out', 'summit').filter((file) => /\.(?:csv|html|jsonl)$/.test(file))).toEqual([])
  expect(existsSync(join(folder, dead))).toBe(false)
})

test('an integration can be erased and purged after it is no longer configured; at a terminal, erase asks for its id', async () => {
  const { workspace, url } = await begin()
  configure(workspace, url, ['expo'])
  expect((await workspace.run('purge', '--older-than', '1d', 'summit')).stdout).toContain(
    'summit: no run is old enough',
  )
  expect((await workspace.run('purge', '--older-than', '1d', 'autumn')).code).toBe(64)
  const answer = (text: string) =>
    runInProcess(['erase', 'summit'], { ...workspace, input: `${text}\n`, isTerminal: true })
  const wrong = await answer('expo')
  expect([wrong.code, wrong.stderr]).toEqual([
    64,
    expect.stringContaining('"expo" is not summit; nothing was erased'),
  ])
  const right = await answer('summit')
  expect([right.code, right.stdout]).toEqual([0, expect.not.stringContaining('configuration')])
  expect(await rowsOf(workspace, 'summit')).toBe(0)
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  test('erase finds every table with a column integration_id, and empties sync.integrations last', async () => {
    const tables = await findTablesOf(database().kysely)
    expect(tables.at(-1)).toBe('sync.integrations')
    const { rows } = await sql<{ name: string }>`
      select relation.oid::regclass::text as name
      from pg_class as relation
      join pg_attribute as attribute on attribute.attrelid = relation.oid and attribute.attname = 'integration_id'
      where relation.relkind = 'r' and relation.relnamespace::regnamespace::text in ('staging', 'sync')
      order by 1`.execute(database().kysely)
    expect(tables.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
    expect(tables.length).toBeGreaterThan(20)
  })
})
