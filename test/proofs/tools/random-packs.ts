import type { Database } from '../../../sql/database.ts'
import { openPlace, runLast, sourceAt } from '../../harness/place.ts'
import { API_KEY, AUTHENTICATION_SECRET, EVENT_ID, startSource } from '../../harness/source-server.ts'
import { makeTally } from '../../harness/tally.ts'
import { configOf } from '../model/options.ts'
import { makeVersions } from '../model/versions.ts'

/** The settings of a pack, which change the form of its files. */
export interface AuditSettings {
  readonly personalData: 'full' | 'masked'
  readonly excel: boolean
}

/**
 * Makes packs of random events, which have the unusual ids, texts and times of the model. The packs have
 * each of the given settings in turn.
 *
 * @returns the folders of the packs, without those of held plans, which have no pack
 */
export async function makeRandomPacks(
  database: Database,
  output: string,
  count: number,
  settings: readonly AuditSettings[],
): Promise<readonly string[]> {
  const server = await startSource()
  const folders: string[] = []
  try {
    for (let seed = 1; folders.length < count; seed += 1) {
      const type = seed % 2 === 0 ? 'a' : 'b'
      for (const { source, served } of makeVersions(type, seed, makeTally()).slice(0, 2)) {
        server.serve(served)
        const place = openPlace({
          database,
          output,
          env: { API_KEY, AUTHENTICATION_SECRET },
          config: { sealingKey: 'env:KEY', audit: settings[seed % settings.length] },
          integration: {
            id: `random-${type}-${seed}`,
            source: { ...sourceAt(type, server.url), eventId: EVENT_ID, ...source.options },
            ...configOf(source),
          },
        })
        const report = await runLast(place, { rebind: true })
        if (report.status === 'finished' && report.output !== null) folders.push(report.output)
      }
      // All seeds use the same source event, which only one integration may have.
      await database.kysely.deleteFrom('sync.integrations').execute()
    }
    return folders.slice(0, count)
  } finally {
    await server.close()
  }
}
