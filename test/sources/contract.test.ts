import { rmSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { configSchema } from '../../pipeline/config.ts'
import { explainItem } from '../../pipeline/explain/explain.ts'
import { SOURCES } from '../../pipeline/extract/registry.ts'
import { forget } from '../../pipeline/forgetting/forget.ts'
import { asAny } from '../../sql/staging-tables.ts'
import type { Content, StagingTables } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { openIntegration, runOpened } from '../support/open-integration.ts'
import { useDatabase } from '../support/use-database.ts'
import { recordsOf, type Served } from './example.ts'
import { EXAMPLES } from './examples.ts'

const ADDRESS = 'ada@example.org'

const ITEMS: readonly (readonly [Content, string])[] = [
  ['agenda', 'S1'],
  ['speakers', 'U1'],
  ['attendees', 'U1'],
]

test('every source that is registered has an example', () => {
  expect(Object.keys(EXAMPLES)).toEqual(Object.keys(SOURCES))
})

describe.each(Object.entries(EXAMPLES))('source %s', (name, example) => {
  const records = recordsOf(example)

  test('its secrets are keys of the configuration', () => {
    const { shape, secrets } = SOURCES[name as keyof typeof SOURCES]
    expect(Object.keys(shape)).toEqual(expect.arrayContaining([...secrets]))
    const source = { ...example.source, url: 'https://source.example' }
    const integration = { id: 'event', source, platform: { type: 'jsonl' } }
    const config = configSchema.parse({ integrations: [integration] })
    expect(config.integrations[0]?.source).toMatchObject(source)
  })

  // Each test goes on where the one before has ended.
  describe.each(engines)('on %s', (engine) => {
    const database = useDatabase(engine)
    const folder = useFolder()
    const id = `contract-${name}`
    let served: Served
    beforeAll(async () => {
      served = await example.serve(records)
      return () => served.close()
    })

    const opening = () => ({
      database: database(),
      folder: folder(),
      env: example.env ?? {},
      integration: { id, source: { ...example.source, url: served.url }, platform: { type: 'jsonl' } },
    })
    const run = () => runOpened(opening())

    test('its records become items of every content, all of them read to a proved end', async () => {
      const { status, changes, certified, error } = await run()
      expect({ status, certified, error }).toEqual({ status: 'finished', certified: true, error: undefined })
      for (const [content] of ITEMS)
        expect(changes[content]).toMatchObject({ create: 1, update: 0, remove: 0 })
    })

    test('what is as before is not sent again', async () => {
      const { status, changes } = await run()
      expect(status).toBe('finished')
      for (const [content] of ITEMS) {
        expect(changes[content]).toEqual({ create: 0, update: 0, remove: 0, unchanged: 1 })
      }
    })

    test.each(ITEMS)('every field of %s %s is explained, down to the record', async (content, uniqueId) => {
      const { context, integration } = openIntegration(opening())
      const { standing, fields } = await database().transaction((transaction) =>
        explainItem(transaction, {
          config: context.config,
          integration,
          content,
          uniqueId,
          showPersonal: true,
        }),
      )
      expect(standing).toBe('synced')
      const filled = fields.filter(({ value }) => value !== null)
      expect(filled.length).toBeGreaterThan(3)
      for (const { field, value, from, references = [] } of filled) {
        expect(['uniqueId', ...PLATFORM_FIELDS[content]]).toContain(field)
        expect(from.length + references.length, `${field} ${value}`).toBeGreaterThan(0)
      }
    })

    test('one that lost its records is not believed', async () => {
      served.hold(Object.fromEntries(Object.keys(records).map((resource) => [resource, []])))
      const { status, held } = await run()
      expect({ status, guard: held?.guard !== undefined }).toEqual({ status: 'held', guard: true })
      served.hold(records)
      expect((await run()).status).toBe('finished')
    })

    test('a record without an id is quarantined, and nothing is lost on its account', async () => {
      const nameless = Object.fromEntries(Object.keys(records).map((resource) => [resource, [{}]]))
      served.hold(nameless)
      const { status, quarantined, changes } = await run()
      expect(status).toBe('finished')
      expect(quarantined).toBeGreaterThan(0)
      for (const [content] of ITEMS) expect(changes[content]?.remove ?? 0).toBe(0)
      served.hold(records)
      expect((await run()).status).toBe('finished')
    })

    test('of whoever is forgotten nothing is left, and no later run brings any of it back', async () => {
      const { context, integration } = openIntegration(opening())
      const forgotten = await forget(context, integration, { sought: { id: 'U1' }, isDelivered: true })
      expect(forgotten?.status).toBe('forgotten')
      await expectNothingLeft()
      expect((await run()).status).toBe('finished')
      await expectNothingLeft()

      // Known again by the id alone.
      served.hold(JSON.parse(JSON.stringify(records).replaceAll(ADDRESS, 'new@example.org')))
      expect((await run()).status).toBe('finished')
      await expectNothingLeft()
      rmSync(context.outputFolder, { recursive: true, force: true })
    })

    async function expectNothingLeft() {
      const { people, contents } = SOURCES[name as keyof typeof SOURCES].transform
      const values = textsOf(example.full[people.resource])
      expect(values).toEqual(expect.arrayContaining(['Lovelace', ADDRESS]))
      const rowsOf = (table: keyof StagingTables) =>
        database().kysely.selectFrom(asAny(table)).selectAll().where('integration_id', '=', id).execute()
      const own = JSON.stringify(await rowsOf(people.table))
      for (const value of [...values, 'new@example.org']) expect(own).not.toContain(value)
      for (const { table } of contents.flatMap(({ mapped }) => mapped)) {
        expect(JSON.stringify(await rowsOf(table))).not.toMatch(/Lovelace|@example\.org/)
      }
      const items = await database()
        .kysely.selectFrom('sync.platform_items')
        .where('integration_id', '=', id)
        .where('content', '<>', 'agenda')
        .select(['unique_id', 'fields'])
        .execute()
      expect(JSON.stringify(items)).not.toMatch(/Lovelace|@example\.org/)
    }
  })
})

/** Texts of a record that can only be the person's: no ids, no flags. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
