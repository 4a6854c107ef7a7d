import { beforeEach } from 'vitest'
import type { RecordedRunOptions } from '../../pipeline/run/recorded-run.ts'
import type { Engine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { type ScriptedSource, startScriptedSource } from './commands/scripted-source.ts'
import { smallEvent } from './commands/small-event.ts'
import { type PlatformSync, syncToPlatform } from './sync-to-platform.ts'

/** Makes for each test a source with the small event, an empty database and an empty folder for packs. */
export function useSmallSync(engine: Engine) {
  const database = useDatabase(engine)
  const output = useFolder()
  let source: ScriptedSource
  beforeEach(async () => {
    await emptyTables(database().kysely)
    source = await startScriptedSource(structuredClone(smallEvent))
  })
  return {
    database,
    output,
    source: () => source,
    sync: (more: Partial<PlatformSync> = {}, options: Partial<RecordedRunOptions> = {}) =>
      syncToPlatform({ database: database(), sourceUrl: source.url, output: output(), ...more }, options),
  }
}
