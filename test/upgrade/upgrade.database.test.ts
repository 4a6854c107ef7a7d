import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Binding, bindIntegration } from '../../loaders/ledger/binding.ts'
import { migrate } from '../../pipeline/database/migrate.ts'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { bothEngines, openEmptyEngine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { type Published, readPublished } from './published.ts'
import { statesOfA, statesOfB, syncA, syncB } from './story.ts'

const HERE = import.meta.dirname
const versions = readdirSync(HERE, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
)

/** Later versions may give readers more columns; those of before stay as they were. */
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

describe.each(bothEngines)('on %s', (engine) => {
  const folder = useFolder()

  test('where two integrations write to one platform event, neither does until one takes it', async () => {
    const database = await openEmptyEngine(engine)
    onTestFinished(() => database.close())
    await database.script(readFileSync(join(HERE, '0.1.0', 'database.sql'), 'utf8'))
    const places = [
      'source',
      'source_url',
      'source_event_id',
      'platform',
      'platform_url',
      'platform_event_id',
    ]
    await database.script(`insert into sync.integrations (integration_id, ${places.join(', ')}, base)
      select 'double', ${places.join(', ')}, 0 from sync.integrations where integration_id = 'summit'`)
    await migrate(database)
    const known = await database.kysely.selectFrom('sync.integrations').selectAll().execute()
    const binding = known.find(({ integration_id }) => integration_id === 'summit')
    if (binding === undefined) throw new Error('the database has no summit')
    const bind = (id: string, rebind: boolean) =>
      database.transaction((transaction) =>
        bindIntegration(
          transaction,
          id,
          Object.fromEntries(places.map((key) => [key, Reflect.get(binding, key)])) as unknown as Binding,
          null,
          rebind,
        ),
      )
    await expect(bind('summit', false)).rejects.toThrow('double already wrote there')
    await expect(bind('double', false)).rejects.toThrow('summit already wrote there')
    await bind('double', true)
    await bind('double', false)
    await expect(bind('summit', false)).rejects.toThrow('double already wrote there')
    expect(known.find(({ integration_id }) => integration_id === 'expo')?.owns_platform_event).toBe(true)
  })

  test.each(versions)('a database that %s made keeps its data, and syncs go on', async (version) => {
    const made = join(HERE, version)
    const database = await openEmptyEngine(engine)
    onTestFinished(() => database.close())
    await database.script(readFileSync(join(made, 'database.sql'), 'utf8'))
    await migrate(database)
    const before: Published = JSON.parse(readFileSync(join(made, 'published.json'), 'utf8'))
    expect(inColumnsOf(before, await readPublished(database))).toEqual(before)

    const storage = join(folder(), 'platform')
    cpSync(join(made, 'platform'), storage, { recursive: true })
    const platform = await startSamplePlatform({ storage })
    onTestFinished(() => platform.close())
    const place = { database, platform, output: join(folder(), 'out') }
    // Records get another version, because another version of the product read them.
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

    // The last run of Source B had died on its way to the platform.
    const ofB = await syncB(place, statesOfB[1])
    expect(ofB).toMatchObject({ code: 3, reports: [{ status: 'finished' }, { status: 'finished' }] })
    for (const counts of Object.values(ofB.last.changes)) expect(counts).toMatchObject(nothing)
    const { agenda, attendees } = await readPublished(database)
    expect(agenda?.map(({ unique_id }) => unique_id).sort()).toEqual(['101', '103', '500'])
    expect(attendees?.filter(({ integration_id }) => integration_id === 'expo')).toHaveLength(3)
  })
})
