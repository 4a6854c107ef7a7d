import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { SEALING_KEY } from '../../harness/place.ts'
import { PYTHON, runVerifyPy } from '../../loaders/verify/verify-py.ts'
import type { Engine } from '../../support/engines.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const SCHEDULE = { schedule: { cron: '0 6 * * *' } }

type More = Readonly<Record<string, unknown>>

/**
 * Makes a workspace with one integration of the small event, and a function that writes the configuration
 * again.
 */
export async function begin(engine: Engine = 'postgres') {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace(engine)
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  const configure = (id: string, more: More = {}, top: More = {}) =>
    workspace.configure({
      sealingKey: 'env:EVENT_SYNC_KEY',
      http: { retryBudgetSeconds: 0 },
      integrations: [integrationOfA(id, source.url, { ...SCHEDULE, ...more })],
      ...top,
    })
  configure('summit')
  return { source, workspace, configure }
}

/** Runs the integration once, and returns the report of this run. */
export async function runOnce(workspace: Workspace, ...args: readonly string[]) {
  const { code, runs, stderr } = await workspace.report('run', ...args)
  expect([code, stderr]).toEqual([0, expect.anything()])
  const [run] = runs.slice(-1)
  if (run?.run == null) throw new Error(stderr)
  return { ...run, run: run.run }
}

const NO_CHANGES = expect.objectContaining({ create: 0, update: 0, remove: 0 })
/** The counts of changes in a report about a plan without changes. */
export const NOTHING_PLANNED = { agenda: NO_CHANGES, speakers: NO_CHANGES, attendees: NO_CHANGES }

export function manifestOf(workspace: Workspace, id: string, run: string) {
  const text = workspace.read('out', id, run, 'manifest.json')
  return { ...JSON.parse(text), sha256: createHash('sha256').update(text).digest('hex') }
}

/** Verifies packs with the command `verify` and with `verify.py`, and requires the same result from both. */
export async function verifyTwice(workspace: Workspace, folder: string, key?: string) {
  const args = key === undefined ? [] : ['--public-key', key]
  const result = await workspace.run('verify', folder, ...args)
  if (PYTHON === null) return result
  const inFolder = [folder, ...args].map((arg) => (arg.startsWith('--') ? arg : join(workspace.folder, arg)))
  const { code, stdout } = runVerifyPy(inFolder)
  expect([code, /(all|\d+ not) intact/.exec(stdout)?.[0]]).toEqual([
    result.code,
    /(all|\d+ not) intact/.exec(result.stdout)?.[0],
  ])
  return result
}
