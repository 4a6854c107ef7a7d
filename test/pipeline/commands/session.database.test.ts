import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withContext } from '../../../pipeline/commands/session.ts'
import type { Context } from '../../../pipeline/context/run-context.ts'
import { silent } from '../../../pipeline/runtime/events.ts'
import { configOfA } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const HOST = 'source-a.example'
const { signal } = new AbortController()
const told = (left: number) => {
  const headers = new Map([
    ['x-rate-limit-limit', '100'],
    ['x-rate-limit-remaining', String(left)],
    ['x-rate-limit-reset', '60'],
  ])
  return { status: 200, headers: { get: (name: string) => headers.get(name) ?? null } }
}

/**
 * Makes three requests that cost 10 credits each. The last answer shows fewer credits than expected, because
 * other clients used credits too.
 */
async function makeRequests({ budgets }: Context): Promise<void> {
  const budget = budgets?.of(HOST, 10, () => undefined)
  for (const left of [100, 90, 50]) await (await budget?.spend('x', signal))?.(told(left))
}

async function begin(): Promise<Workspace> {
  const workspace = await makeWorkspace('postgres')
  workspace.configure(configOfA(`https://${HOST}`))
  return workspace
}

function inContext<Result>(workspace: Workspace, work: (context: Context) => Promise<Result>) {
  const io = { env: workspace.env, cwd: workspace.folder, stderr: process.stderr }
  return withContext({ config: 'event-sync.yaml' }, io, work, { events: silent })
}

const creditsIn = async (workspace: Workspace) =>
  workspace.rows('select host, credits_left from sync.rate_budgets')

test('when a command ends or fails, it stores the remaining credits of each host, so that other processes know them', async () => {
  const workspace = await begin()
  const failed = inContext(workspace, async (context) => {
    await makeRequests(context)
    expect(await creditsIn(workspace)).toEqual([{ host: HOST, credits_left: 80 }])
    throw new Error('it failed')
  })
  await expect(failed).rejects.toThrow('it failed')
  expect(await creditsIn(workspace)).toEqual([{ host: HOST, credits_left: 50 }])
})

test('a command ends normally even if it cannot store the remaining credits', async () => {
  const workspace = await begin()
  const ended = await inContext(workspace, async (context) => {
    await makeRequests(context)
    await context.database.script('alter table sync.rate_budgets rename to elsewhere')
    return 'ended'
  })
  expect(ended).toBe('ended')
  expect(await workspace.rows('select credits_left from sync.elsewhere')).toEqual([{ credits_left: 80 }])
})

test.runIf(process.platform !== 'win32')(
  'a command restricts .event-sync to its owner, even if other users had access',
  async () => {
    const workspace = await makeWorkspace('pglite')
    workspace.configure(configOfA(`https://${HOST}`))
    const paths = ['.event-sync', join('.event-sync', 'db')].map((path) => join(workspace.folder, path))
    for (const path of paths) chmodSync(path, 0o755)
    await inContext(workspace, async () => undefined)
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
  },
)
