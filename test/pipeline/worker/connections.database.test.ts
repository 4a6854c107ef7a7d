import { expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { openTestIo } from '../commands/in-process.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../commands/small-event.ts'
import { schedule, showSchedules } from '../commands/unattended.ts'
import { makeWorkspace, type Workspace } from '../commands/workspace.ts'

/** Counts the connections to the database of a workspace. Idle connections stay open for ten seconds. */
async function countConnections(workspace: Workspace): Promise<number> {
  const [row] = await workspace.rows(
    "select count(*)::int as count from pg_stat_activity where application_name = 'event-sync' and datname = current_database()",
  )
  return Number(row?.count)
}

test('eight runs at the same time in one worker use at most 20 connections to the database', async () => {
  const RUNS = 8
  const workspace = await makeWorkspace('postgres')
  const source = await startScriptedSource(smallEvent)
  const ids = Array.from({ length: RUNS }, (_, place) => `event-${place + 1}`)
  workspace.configure({ integrations: ids.map((id) => integrationOfA(id, source.url, { schedule })) })
  await showSchedules(workspace, '--now')
  // The users of all integrations are asked for before any of them is answered.
  const all = Promise.withResolvers<null>()
  let asked = 0
  source.script = async ({ resource, skip }) => {
    if (resource !== 'Users' || skip !== 0) return null
    asked += 1
    if (asked === RUNS) all.resolve(null)
    return all.promise
  }
  const worker = openTestIo(workspace)
  const ended = runCommand(['worker', '--concurrency', String(RUNS)], worker)
  for (const id of ids) await worker.seen(`${id}: finished`)
  const used = await countConnections(workspace)
  worker.interrupt(143)
  expect(await ended).toBe(143)
  expect(used).toBeGreaterThan(RUNS)
  expect(used).toBeLessThanOrEqual(20)
})

test('a run of a small event uses at most three connections to the database', async () => {
  const workspace = await makeWorkspace('postgres')
  const source = await startScriptedSource(smallEvent)
  workspace.configure({ integrations: [integrationOfA('summit', source.url)] })
  let used = 0
  source.script = async () => {
    used = Math.max(used, await countConnections(workspace))
    return null
  }
  expect((await workspace.run('run')).code).toBe(0)
  expect(used).toBeGreaterThan(1)
  expect(used).toBeLessThanOrEqual(3)
})
