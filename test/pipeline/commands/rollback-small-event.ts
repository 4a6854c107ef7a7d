import { join } from 'node:path'
import { expect } from 'vitest'
import { readPack } from '../../harness/read-pack.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

export const { Users = [], Sessions = [] } = smallEvent

/**
 * The second state of the small event: one session has another title, one session is gone, one session is
 * new, and one person is gone.
 */
export const changed = {
  ...smallEvent,
  Sessions: [
    { Id: 101, Title: 'Grand opening', TimeSlotId: 1, Speakers: [{ Id: 'u1' }] },
    { Id: 103, Title: 'Dinner', TimeSlotId: 1, Speakers: [{ Id: 'u2' }] },
  ],
  Users: Users.slice(0, 3),
}

export type Items = Readonly<Record<string, unknown>>

/**
 * Applies the operations of these runs in this order, and returns the items that a platform would then have.
 */
export function replay(workspace: Workspace, runs: readonly string[]): Items {
  const items = new Map<string, unknown>()
  for (const run of runs) {
    for (const { op, content, uniqueId, fields } of readPack(join(workspace.folder, 'out', 'summit', run))
      .operations) {
      if (op === 'remove') items.delete(`${content} ${uniqueId}`)
      else items.set(`${content} ${uniqueId}`, fields)
    }
  }
  return Object.fromEntries(items)
}

/** Runs the integration once, and returns the id of this run. */
export async function runOf(workspace: Workspace): Promise<string> {
  const { code, runs } = await workspace.report('run')
  expect(code).toBe(0)
  return runs[0]?.run ?? ''
}

/** Plans and approves a rollback, and returns the id of its run. */
export async function rollBack(workspace: Workspace, to: string): Promise<string> {
  const { code, runs } = await workspace.report('rollback', 'summit', to)
  expect([2, 4]).toContain(code)
  const [made] = runs
  expect(made).toMatchObject({ rollbackTo: to, output: null })
  const applied = await workspace.report('apply', 'summit', made?.planHash ?? '')
  expect(applied.runs).toMatchObject([{ run: made?.run, status: 'finished', rollbackTo: to }])
  return made?.run ?? ''
}

/**
 * After the run whose state is restored, the platform had the session 101 with the speaker u1, and the
 * attendee u4.
 */
export async function beginWithPeople() {
  const place = await workspaceOfSmallEvent()
  const { workspace, source } = place
  workspace.env.KEY = Buffer.alloc(32, 7).toString('base64')
  workspace.configure({ ...configOfA(source.url), sealingKey: 'env:KEY' })
  const first = await runOf(workspace)
  source.records = { ...changed, Sessions: [] }
  expect((await workspace.report('plan')).code).toBe(4)
  const { planHash } = JSON.parse((await workspace.run('show', 'summit', '--json')).stdout)
  expect((await workspace.run('apply', 'summit', planHash)).code).toBe(0)
  return { ...place, first }
}

export const itemsOnPlatform = async (workspace: Workspace) =>
  (await workspace.rows('select content, unique_id, fields from sync.platform_items order by 1, 2')).map(
    ({ content, unique_id, fields }) => [content, unique_id, (fields as Items).speakerIds],
  )
