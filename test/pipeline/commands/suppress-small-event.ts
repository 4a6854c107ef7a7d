import { expect } from 'vitest'
import type { Engine } from '../../support/engines.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

/** Configures several integrations that read the same source event and write operations to files. */
export function configure(workspace: Workspace, url: string, ids: readonly string[], eventId = '4242'): void {
  const source = { type: 'a', url, eventId }
  workspace.configure({
    sealingKey: 'env:EVENT_SYNC_KEY',
    http: { retryBudgetSeconds: 0 },
    integrations: ids.map((id) => integrationOfA(id, url, { source })),
  })
}

export async function attendeesAfterRun(
  workspace: Workspace,
  integration: string,
): Promise<readonly string[]> {
  const { runs } = await workspace.report('run', integration)
  expect(runs[0]).toMatchObject({ status: 'finished' })
  const query = `select unique_id from published.attendees where integration_id = '${integration}' order by 1`
  const { stdout } = await workspace.run('sql', query, '--format', 'csv')
  return stdout.trim().replaceAll('"', '').split(/\r?\n/).slice(1)
}

export async function listed(workspace: Workspace, integration: string): Promise<readonly unknown[]> {
  return JSON.parse((await workspace.run('suppress', integration, '--json')).stdout).suppressed
}

export const KEY = Buffer.alloc(32, 7).toString('base64')
export const ALL = ['u1', 'u2', 'u3', 'u4']

export async function beginWith(engine: Engine, ...ids: readonly string[]) {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace(engine)
  workspace.env.EVENT_SYNC_KEY = KEY
  configure(workspace, source.url, ids)
  return { workspace, source, url: source.url }
}
