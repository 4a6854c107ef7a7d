import { expect, test } from 'vitest'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test('runs filters by failed, held and stale runs, and by the time of their start', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  const records = source.records
  expect((await workspace.run('run')).code).toBe(0)
  source.records = { ...records, Users: [], Sessions: [] }
  expect((await workspace.run('run')).code).toBe(4)
  expect((await workspace.run('run')).code).toBe(4)
  source.records = records
  source.script = async () => ({ status: 404, body: '' })
  expect((await workspace.run('run')).code).toBe(1)
  const statuses = async (...options: readonly string[]) => {
    const { runs } = JSON.parse((await workspace.run('runs', ...options, '--json')).stdout)
    return runs.map(({ status }: { readonly status: string }) => status)
  }
  expect(await statuses('--failed')).toEqual(['failed'])
  expect(await statuses('--held')).toEqual(['held', 'held'])
  expect(await statuses('summit', '--held', '--stale')).toEqual(['held'])
  expect(await statuses('--failed', '--held', '--limit', '2')).toEqual(['failed', 'held'])
  expect(await statuses('--since', '1h')).toEqual(['failed', 'held', 'held', 'finished'])
  await workspace.rows("update sync.runs set started_at = started_at - interval '2 hours'")
  expect((await workspace.run('runs', '--since', '1h')).stdout).toBe('no such runs\n')
  const wrong = await workspace.run('runs', '--since', 'monday')
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('such as 7d')])
})
