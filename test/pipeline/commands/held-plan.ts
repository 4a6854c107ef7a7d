import { join } from 'node:path'
import { expect } from 'vitest'
import type { Engine } from '../../support/engines.ts'
import type { Records } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

export const FILES = ['plan.csv', 'report-masked.html', 'report.html']

/**
 * The small event one day later. A guard holds the run, because three of four attendees and one session are
 * missing.
 */
export const emptied: Records = {
  ...smallEvent,
  Sessions: [
    {
      Id: 101,
      Title: 'Opening <b>',
      TimeSlotId: 1,
      Speakers: [{ Id: 'u1' }],
      Description: 'by Ada Of u1',
    },
    { Id: 102, Title: 'Closing', TimeSlotId: 1, Speakers: [], Enabled: false },
  ],
  Users: [
    ...(smallEvent.Users ?? []).slice(0, 1),
    { FirstName: 'Noa', LastName: 'Canary', EmailAddress: 'canary-no-at' },
  ],
}

export const textOf = (page: string) => page.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, ' ')

/** Makes a workspace of the small event in which a guard has held the second run. */
export async function holdPlan(engine: Engine) {
  const { workspace, source } = await workspaceOfSmallEvent(engine)
  const configure = (more: object = {}) =>
    workspace.configure(
      configOfA(source.url, {
        name: 'Summit & Sons',
        removals: { minCount: 1 },
        source: { type: 'a', url: source.url, eventId: '4242', timeZone: 'Europe/Berlin' },
        ...more,
      }),
    )
  configure()
  expect((await workspace.run('run')).code).toBe(0)
  source.records = emptied
  const { code, runs } = await workspace.report('run')
  expect(code).toBe(4)
  const held = runs[0]?.run ?? ''
  const planHash = runs[0]?.planHash ?? ''
  expect(runs[0]).toMatchObject({ page: join(workspace.folder, 'out', 'summit', held, 'report.html') })
  const page = (run = held) => workspace.read('out', 'summit', run, 'report.html')
  const filesOf = (run: string) => workspace.files('out', 'summit', run)
  return { workspace, source, configure, held, planHash, page, filesOf }
}
