import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startSamplePlatform } from '../../harness/sample-platform/start.ts'
import type { Engine } from '../../support/engines.ts'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

/**
 * Opens an integration with a platform. The test can restore the platform from a copy or empty it; its
 * address stays the same.
 */
export async function openWithPlatform(engine: Engine = 'postgres') {
  const { source, workspace } = await workspaceOfSmallEvent(engine)
  const storage = join(workspace.folder, 'platform')
  let platform = await startSamplePlatform({ storage })
  onTestFinished(() => platform.close())
  const port = Number(new URL(platform.url).port)
  Object.assign(workspace.env, platform.env)
  workspace.configure(
    configOfA(source.url, {
      platform: platform.config(100),
      passwords: { mode: 'none' },
      guards: { massUpdate: 1 },
    }),
  )
  const titles = async () => {
    const { items } = await platform.control('state')
    return items.agenda.map(({ fields }) => fields.name)
  }
  /** @param from folder with a copy of the platform's data; null empties the platform */
  async function restore(from: string | null) {
    await platform.close()
    rmSync(storage, { recursive: true })
    if (from !== null) cpSync(from, storage, { recursive: true })
    platform = await startSamplePlatform({ storage, port })
  }
  function rename(title: string) {
    const [first, ...others] = source.records.Sessions ?? []
    source.records = { ...source.records, Sessions: [{ ...Object(first), Title: title }, ...others] }
  }
  function backUp(): string {
    const copy = join(workspace.folder, 'backup')
    cpSync(storage, copy, { recursive: true })
    return copy
  }
  const countAttendees = async () => (await platform.control('state')).items.attendees.length
  return { source, workspace, titles, restore, rename, backUp, countAttendees }
}
