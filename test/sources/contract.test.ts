import { rmSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { configSchema } from '../../pipeline/config.ts'
import { explainItem } from '../../pipeline/explain/explain.ts'
import { SOURCES } from '../../pipeline/extract/registry.ts'
import { forget } from '../../pipeline/forgetting/forget.ts'
import type { Content } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { openIntegration, runOpened } from '../support/open-integration.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Records, Served } from './example.ts'
import { EXAMPLES } from './examples.ts'

const ITEMS: readonly (readonly [Content, string])[] = [
  ['agenda', 'S1'],
  ['speakers', 'U1'],
  ['attendees', 'U1'],
]

test('every source that is registered has an example', () => {
  expect(Object.keys(EXAMPLES)).toEqual(Object.keys(SOURCES))
})

describe.each(Object.entries(EXAMPLES))('source %s', (name, example) => {
  const records: Records = Object.fromEntries(
    Object.entries(example.full).map(([resource, record]) => [resource, [record]]),
  )

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
      for (const { field, value, from } of fields.filter(({ value }) => value !== null)) {
        expect(['uniqueId', ...PLATFORM_FIELDS[content]]).toContain(field)
        expect(from.length + (Array.isArray(value) ? 1 : 0), `${field} ${value}`).toBeGreaterThan(0)
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
      expect(['finished', 'held']).toContain(status)
      expect(quarantined).toBeGreaterThan(0)
      if (status === 'finished') for (const [content] of ITEMS) expect(changes[content]?.remove ?? 0).toBe(0)
      served.hold(records)
      expect((await run()).status).toBe('finished')
    })

    test('of whoever is forgotten no name and no address is left, and the next run brings none back', async () => {
      const { context, integration } = openIntegration(opening())
      const forgotten = await forget(context, integration, { sought: { id: 'U1' }, isDelivered: true })
      expect(forgotten?.status).toBe('forgotten')
      expect((await run()).status).toBe('finished')
      const tables = [
        ...SOURCES[name as keyof typeof SOURCES].transform.contents.flatMap(({ mapped }) => mapped),
      ]
      for (const { table } of tables) {
        const rows = await database()
          .kysely.selectFrom(table)
          .selectAll()
          .where('integration_id', '=', id)
          .execute()
        expect(JSON.stringify(rows)).not.toMatch(/Lovelace|ada@example\.org/)
      }
      const items = await database()
        .kysely.selectFrom('sync.platform_items')
        .where('integration_id', '=', id)
        .select(['content', 'unique_id', 'fields'])
        .execute()
      expect(JSON.stringify(items)).not.toMatch(/Lovelace|ada@example\.org/)
      expect(items.filter(({ content }) => content !== 'agenda')).toEqual([])
      rmSync(context.outputFolder, { recursive: true, force: true })
    })
  })
})
