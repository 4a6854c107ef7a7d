import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type SamplePlatform, startSamplePlatform } from '../../harness/sample-platform/start.ts'
import type { Engine } from '../../support/engines.ts'
import { type AtEnd, type ScriptedSource, startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

interface SmallPlace {
  readonly source: ScriptedSource
  readonly workspace: Workspace
}

/** Starts a source with the small event, and makes a workspace whose configuration names this source. */
export async function workspaceOfSmallEvent(
  engine: Engine = 'postgres',
  atEnd: AtEnd = onTestFinished,
): Promise<SmallPlace> {
  const source = await startScriptedSource(smallEvent, atEnd)
  const workspace = await makeWorkspace(engine, false, atEnd)
  workspace.configure(configOfA(source.url))
  return { source, workspace }
}

/**
 * Makes a workspace with the small event for all tests of a block or file. The tests share the database and
 * the files of the workspace, so their commands must not disturb each other.
 */
export function useSmallWorkspace(engine: Engine = 'postgres'): () => SmallPlace {
  const ends: (() => unknown)[] = []
  let place: SmallPlace
  beforeAll(async () => {
    place = await workspaceOfSmallEvent(engine, (end) => ends.push(end))
  })
  afterAll(() => {
    for (const end of ends) end()
  })
  return () => place
}

/**
 * Starts a platform and adds its token to the environment of the workspace. The platform is stopped at the
 * end of the test.
 */
export async function startPlatform(
  { folder, env }: Workspace,
  atEnd: AtEnd = onTestFinished,
): Promise<SamplePlatform> {
  const platform = await startSamplePlatform({ storage: join(folder, 'platform') })
  atEnd(() => platform.close())
  Object.assign(env, platform.env)
  return platform
}
