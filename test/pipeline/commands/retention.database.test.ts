import { expect, test } from 'vitest'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test('without retention purge needs --older-than, and its other options need it too', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  await workspace.run('run')
  expect(await workspace.run('purge')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('the configuration has no `retention`, and --older-than is missing'),
  })
  workspace.configure({ ...configOfA(source.url), retention: { packs: '90d' } })
  expect(await workspace.run('purge', '--packs')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--keep-runs, --packs and --reason need --older-than'),
  })
  workspace.configure({ ...configOfA(source.url), retention: { packs: '2h' } })
  expect((await workspace.run('purge')).stderr).toContain(
    'must be a whole number of days with d, such as 400d',
  )
})
