import { expect } from 'vitest'
import { SEALING_KEY } from '../harness/place.ts'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../pipeline/commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../pipeline/commands/workspace.ts'

export function configure(workspace: Workspace, url: string, ids: readonly string[]): void {
  const source = { type: 'a', url, eventId: '4242' }
  workspace.configure({
    sealingKey: 'env:EVENT_SYNC_KEY',
    http: { retryBudgetSeconds: 0 },
    integrations: ids.map((id) => integrationOfA(id, url, { source, schedule: { cron: '0 6 * * *' } })),
  })
}

/**
 * Makes two integrations of one event, each with a schedule. The first integration has forgotten u2 and
 * suppressed u3.
 */
export async function begin() {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  configure(workspace, url, ['summit', 'expo'])
  expect((await workspace.report('run')).code).toBe(0)
  expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
  expect((await workspace.run('suppress', 'summit', 'attendees', 'u3')).code).toBe(0)
  await workspace.run('schedule')
  return { workspace, url }
}
