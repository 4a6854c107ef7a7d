import { expect, test } from 'vitest'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test.each([['schedule'], ['worker', 'summit'], ['pause', 'summit']])(
  'if the database is read-only, %s says which database to name',
  async (...args) => {
    const { source, workspace } = await workspaceOfSmallEvent()
    workspace.configure(configOfA(source.url, { schedule: { cron: '0 * * * *' } }))
    expect((await workspace.run('run')).code).toBe(0)
    const name = new URL(workspace.env.DATABASE_URL ?? '').pathname.slice(1)
    await workspace.rows(`alter database ${name} set default_transaction_read_only to on`)
    expect(await workspace.run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the database takes no writes: it is a standby'),
    })
  },
)

test.each([
  ['forget', 'summit', 'attendees', 'u1'],
  ['purge', '--older-than', '90d'],
])('if the database is read-only, %s says that the platform is untouched', async (...args) => {
  const { source, workspace } = await workspaceOfSmallEvent()
  workspace.env.KEY = Buffer.alloc(32, 7).toString('base64')
  workspace.configure({ ...configOfA(source.url), sealingKey: 'env:KEY' })
  expect((await workspace.run('run')).code).toBe(0)
  const name = new URL(workspace.env.DATABASE_URL ?? '').pathname.slice(1)
  await workspace.rows(`alter database ${name} set default_transaction_read_only to on`)
  expect(await workspace.run(...args)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /the database takes no writes: .*\nplatform untouched; safe to run again\n$/,
    ),
  })
})
