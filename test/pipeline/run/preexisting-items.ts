import type { SamplePlatform } from '../../harness/sample-platform/start.ts'
import { postByHand } from '../../proofs/histories/hand.ts'
import { configOfA } from '../commands/small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from '../commands/small-workspace.ts'

/** Adds a session to a platform as if a person or another tool had added it. */
export async function addByHand(platform: SamplePlatform, uniqueId: string): Promise<void> {
  const times = { startTime: '2031-05-04T09:00:00Z', endTime: '2031-05-04T10:00:00Z' }
  const run = `01a1fda0-0000-7000-8000-${uniqueId.padStart(12, '0')}`
  await postByHand(platform, run, {
    seq: 1,
    content: 'agenda',
    uniqueId,
    fields: { name: 'By hand', ...times },
  })
}

export async function open(more: Readonly<Record<string, unknown>> = {}) {
  const { source, workspace } = await workspaceOfSmallEvent()
  const platform = await startPlatform(workspace)
  const configure = (other: Readonly<Record<string, unknown>> = {}) =>
    workspace.configure(
      configOfA(source.url, {
        platform: platform.config(100),
        passwords: { mode: 'none' },
        ...more,
        ...other,
      }),
    )
  configure()
  const ids = async () => (await platform.control('state')).items.agenda.map(({ uniqueId }) => uniqueId)
  return { source, workspace, platform, configure, ids }
}

export const HELD =
  'preexisting: 1 item of agenda would be removed that the platform had before the first run and that the source does not ask for'
