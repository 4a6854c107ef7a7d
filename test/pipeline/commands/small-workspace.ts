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

/** A source with the small event, and a workspace that is configured to read it. */
export async function workspaceOfSmallEvent(
  engine: Engine = 'postgres',
  atEnd: AtEnd = onTestFinished,
): Promise<SmallPlace> {
  const source = await startScriptedSource(smallEvent, atEnd)
  const workspace = await makeWorkspace(engine, false, atEnd)
  workspace.configure(configOfA(source.url))
  return { source, workspace }
}

/** The same, once for all tests of a block or file: for commands that do not change it. */
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

/** Starts a platform whose token the workspace has from then on; it ends with the test. */
export async function startPlatform(
  { folder, env }: Workspace,
  atEnd: AtEnd = onTestFinished,
): Promise<SamplePlatform> {
  const platform = await startSamplePlatform({ storage: join(folder, 'platform') })
  atEnd(() => platform.close())
  Object.assign(env, platform.env)
  return platform
}
