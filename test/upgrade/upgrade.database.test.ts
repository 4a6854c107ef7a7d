import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../pipeline/database/migrate.ts'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { dumpSchema } from '../sql/dump-schema.ts'
import { bothEngines, openEmptyEngine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Published, readPublished } from './published.ts'
import { play, statesOfA, statesOfB, syncA, syncB } from './story.ts'

const HERE = import.meta.dirname
const THIS = 'this version'
const released = readdirSync(HERE, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
)
const read = (version: string, name: string) => gunzipSync(readFileSync(join(HERE, version, name))).toString()

/**
 * Returns the new rows with only the old columns. A later version may add columns to a view, but must not
 * change the old columns.
 */
function inColumnsOf(before: Published, now: Published): Published {
  return Object.fromEntries(
    Object.entries(before).map(([view, rows]) => {
      const columns = Object.keys(rows[0] ?? {})
      const cut = (now[view] ?? []).map((row) =>
        Object.fromEntries(columns.map((column) => [column, row[column] ?? null])),
      )
      return [view, cut.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))]
    }),
  )
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,;]+/).toSorted()
}

const fresh = useDatabase('pglite')

describe.each(bothEngines)('on %s', (engine) => {
  const folder = useFolder()

  test.each([THIS, ...released])(
    'after the upgrade from version %s, the database has all its data, and further syncs work',
    async (version) => {
      const isReleased = version !== THIS
      const database = await openEmptyEngine(engine)
      onTestFinished(() => database.close())
      const storage = join(folder(), 'platform')
      if (isReleased) cpSync(join(HERE, version, 'platform'), storage, { recursive: true })
      const platform = await startSamplePlatform({ storage })
      onTestFinished(() => platform.close())
      const place = { database, platform, output: join(folder(), 'out') }
      if (isReleased) await database.script(read(version, 'database.sql.gz'))
      await migrate(database)
      // Only the words of both schemas are compared, in any order: in an upgraded view a new column is always
      // the last.
      expect(wordsOf(await dumpSchema(database.kysely))).toEqual(wordsOf(await dumpSchema(fresh().kysely)))
      if (!isReleased) await play(place)
      const now = await readPublished(database)
      const before: Published = isReleased ? JSON.parse(read(version, 'published.json.gz')) : now
      expect(inColumnsOf(before, now)).toEqual(before)

      // Another version of the product may give records new versions, but must not give items new versions.
      const versionsOfItems = () =>
        sql`select count(*) as versions from sync.desired_items where integration_id = 'summit'`
          .execute(database.kysely)
          .then(({ rows }) => rows)
      const versionsBefore = await versionsOfItems()
      const ofA = await syncA(place, statesOfA[2])
      expect(ofA).toMatchObject({ code: 0, reports: [{ status: 'finished' }] })
      const nothing = { create: 0, update: 0, remove: 0 }
      for (const counts of Object.values(ofA.last.changes)) expect(counts).toMatchObject(nothing)
      expect(await versionsOfItems()).toEqual(versionsBefore)

      // The last run of Source B before the upgrade died after it had sent its operations, so the command
      // reports two runs.
      const ofB = await syncB(place, statesOfB[1])
      expect(ofB).toMatchObject({ code: 3, reports: [{ status: 'finished' }, { status: 'finished' }] })
      for (const counts of Object.values(ofB.last.changes)) expect(counts).toMatchObject(nothing)
      const { agenda, attendees } = await readPublished(database)
      expect(agenda?.map(({ unique_id }) => unique_id).sort()).toEqual(['101', '103', '500'])
      expect(attendees?.filter(({ integration_id }) => integration_id === 'expo')).toHaveLength(3)
    },
  )
})
