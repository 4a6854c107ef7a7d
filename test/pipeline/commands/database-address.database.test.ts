import { expect, test } from 'vitest'
import { workspaceOfSmallEvent } from './small-workspace.ts'

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
