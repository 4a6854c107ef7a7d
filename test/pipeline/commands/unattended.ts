import { expect } from 'vitest'
import type { Started } from './command-line.ts'
import type { Workspace } from './workspace.ts'

export const schedule = { cron: '0 */4 * * *', timeZone: 'Europe/Berlin', jitterSeconds: 0 }

interface Shown {
  readonly schedules: readonly Readonly<Record<string, unknown>>[]
  readonly removed: readonly string[]
}

/** Runs `schedule --json`, and returns the parsed output. */
export async function showSchedules(workspace: Workspace, ...args: readonly string[]): Promise<Shown> {
  const { code, stdout, stderr } = await workspace.run('schedule', ...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** Waits until a worker has started. @returns the address of one of its paths */
export async function urlOf(worker: Pick<Started, 'seen' | 'output'>, path: string): Promise<string> {
  await worker.seen('worker started')
  const [, url] = /health (http:\S+?)\)/.exec(worker.output.stderr) ?? []
  return `${url}/${path}`
}

/** Requests the state of a worker, for example from `readyz`. */
export async function askWorker(
  worker: Pick<Started, 'seen' | 'output'>,
  place: string,
): Promise<{ status: number; state: unknown }> {
  const response = await fetch(await urlOf(worker, place))
  return { status: response.status, state: await response.json() }
}
