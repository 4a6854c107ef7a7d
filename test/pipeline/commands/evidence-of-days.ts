import { onTestFinished, vi } from 'vitest'
import { machine } from '../../../pipeline/runtime/environment.ts'
import type { Engine } from '../../support/engines.ts'
import { begin, runOnce } from './rename-small-event.ts'
import { smallEvent } from './small-event.ts'

/** Sets the clock of commands that run within the process of the test to noon (UTC) of a day. */
export function onDay(day: string): void {
  const spy = vi.spyOn(machine, 'now')
  const begunMs = Date.parse(`${day}T12:00:00.000Z`) - Math.round(performance.now())
  spy.mockImplementation(() => begunMs + Math.round(performance.now()))
  onTestFinished(() => spy.mockRestore())
}

/** Returns the records of the small event, with another title of its first session. */
export function titled(title: string) {
  const [, ...others] = smallEvent.Sessions ?? []
  return {
    ...smallEvent,
    Sessions: [{ Id: 101, Title: title, TimeSlotId: 1, Speakers: [{ Id: 'u1' }] }, ...others],
  }
}

/** Makes a workspace, and a run on each of the days; each run changes one title. */
export async function runsOn(
  days: readonly string[],
  engine: Engine = 'postgres',
  top: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const begun = await begin(engine)
  const { workspace, source, configure } = begun
  Object.assign(workspace.env, env)
  configure('summit', {}, top)
  const runs: string[] = []
  for (const day of days) {
    onDay(day)
    source.records = titled(`Opening, as of ${day}`)
    runs.push((await runOnce(workspace)).run)
  }
  return { ...begun, runs }
}
