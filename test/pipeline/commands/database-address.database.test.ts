import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

test.each(['mysql://me:CANARY@db.example/events', 'db.example/CANARY', 'https://db.example/CANARY'])(
  'run refuses a database address that is not a PostgreSQL address, and does not print it',
  async (address) => {
    const { workspace } = await workspaceOfSmallEvent()
    workspace.env.DATABASE_URL = address
    const { code, stderr } = await workspace.run('run')
    expect([code, stderr]).toEqual([
      64,
      'database: the address in env:DATABASE_URL is not one of PostgreSQL (not shown); it begins with postgres:// or postgresql://\n',
    ])
  },
)

test('a second login acts as the first user, as SECURITY.md says, so that either can use what the other made', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres', true)
  workspace.configure({ integrations: [integrationOfA('summit', source.url)] })
  const admin = new URL(workspace.env.DATABASE_URL ?? '')
  const database = admin.pathname.slice(1)
  const [first, second] = [`first_${process.pid}`, `second_${process.pid}`]
  await workspace.rows(`create role ${first} login password 'x'`)
  await workspace.rows(`grant create on database ${database} to ${first}`)
  const page = readFileSync(join(packageRoot, 'SECURITY.md'), 'utf8')
  const [, sql = ''] = /`(create role SECOND[^`]*)`/.exec(page) ?? []
  onTestFinished(async () => {
    workspace.env.DATABASE_URL = admin.href
    await workspace.rows(`drop owned by ${first}; drop role ${second}, ${first}`)
  })
  for (const statement of sql.split('; '))
    await workspace.rows(statement.replaceAll('FIRST', first).replaceAll('SECOND', second).replace('…', 'x'))
  for (const username of [second, first]) {
    workspace.env.DATABASE_URL = Object.assign(new URL(admin), { username, password: 'x' }).href
    const { code, stderr } = await workspace.run('run')
    expect([code, stderr]).toEqual([0, expect.anything()])
  }
  const owners = await workspace.rows(
    `select distinct tableowner from pg_tables where schemaname !~ '^(pg_|information_schema)'`,
  )
  expect(owners).toEqual([{ tableowner: first }])
})
