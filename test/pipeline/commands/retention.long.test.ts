import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test('purge without --older-than deletes what is older than the retention of the configuration', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  // The first run has changes, the next two have none, and ten further runs are always kept.
  for (let run = 0; run < 13; run += 1) await workspace.run('run')
  await workspace.rows(
    "update sync.runs set started_at = started_at - interval '40 days', planned_at = planned_at - interval '40 days', applied_at = applied_at - interval '40 days', finished_at = finished_at - interval '40 days'",
  )
  const [, , third] = await workspace.rows('select run_id from sync.runs order by run_id')
  const run = String(third?.run_id)
  const retention = { packs: '400d', history: '400d', unchangedRuns: '30d' }
  workspace.configure({ ...configOfA(source.url), retention })
  const isThere = () => existsSync(join(workspace.folder, 'out', 'summit', run, 'SHA256SUMS'))

  const planned = await workspace.run('purge', '--dry-run')
  expect(planned).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/would be purged.*\n +packs +1\n/s),
  })
  expect(isThere()).toBe(true)
  const purged = await workspace.run('purge', '--json')
  expect(JSON.parse(purged.stdout)).toMatchObject({
    purges: [{ integration: 'summit', packs: [{ run }], dryRun: false }],
    locked: [],
  })
  expect(isThere()).toBe(false)
  expect((await workspace.run('verify', 'out/summit')).code).toBe(0)
  expect(await workspace.run('export', run)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining(`the pack of run ${run} of summit was purged at`),
  })
  // The rows of the run stay, so that it can still be compared.
  expect((await workspace.run('show', run)).code).toBe(0)
  expect((await workspace.run('purge')).stdout).toContain('summit: no run is old enough')
})
