import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { usePlatforms } from '../pipeline/demo/sample-platform/use-platform.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { afterOfA, afterOfB, beforeOfA, beforeOfB } from './people.ts'
import { searchRows } from './search.ts'
import { makeWorld, type World, type WorldOptions } from './world.ts'

const folder = useFolder()
const worlds: World[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

async function begin(engine: (typeof engines)[number], options: WorldOptions): Promise<World> {
  const world = await makeWorld(engine, folder(), options)
  worlds.push(world)
  for (const files of options.source === 'a' ? beforeOfA : beforeOfB) await world.sync(files)
  return world
}

const NOWHERE = { rows: [], files: [], bytes: [], statistics: [] }

describe.each(engines)('on %s', (engine) => {
  describe.each([
    { source: 'a', id: 'zyxomma-1', after: afterOfA },
    { source: 'b', id: 'zyxomma7', after: afterOfB },
  ] as const)('from source $source', ({ source, id, after }) => {
    test('nothing holds the person after forget, nor after later reads', async () => {
      const world = await begin(engine, { source })
      await sql`analyze`.execute(world.database().kysely)
      const before = await world.search()
      expect(before.statistics.length).toBeGreaterThan(3)
      expect(before.rows.length).toBeGreaterThan(8)
      expect(before.files.length).toBeGreaterThan(8)
      expect(await world.verify()).toEqual([])

      const forgotten = await world.forget({ sought: { id } })
      expect(forgotten).toMatchObject({ status: 'forgotten', sharing: 0, mentions: 0, onPlatform: 2 })
      expect(forgotten.packs.left).toEqual([])
      expect(forgotten.packs.runs).toHaveLength(3)
      await world.scrub()
      expect(await world.search()).toEqual(NOWHERE)
      expect(await world.verify()).toEqual([])
      await world.exportAll()
      expect(await world.search()).toEqual(NOWHERE)

      const next = await world.sync(after)
      expect(next.changes.attendees).toMatchObject({ create: 0, update: 0, remove: 1 })
      expect(next.changes.speakers).toMatchObject({ create: 0, update: 0, remove: 1 })
      const operations = `summit/${next.run}/operations.jsonl`
      const naming = await world.search()
      // The platform has to be told whom to remove.
      expect({ rows: naming.rows, files: naming.files }).toEqual({ rows: [], files: [operations] })
      const removals = readFileSync(join(world.output, operations), 'utf8')
        .split('\n')
        .filter((line) => line.toLowerCase().includes('zyxomma'))
      expect(removals.map((line) => JSON.parse(line))).toMatchObject([
        { op: 'remove', uniqueId: id, reason: 'forgotten' },
        { op: 'remove', uniqueId: id, reason: 'forgotten' },
      ])
      expect(await world.verify()).toEqual([])
      await world.exportAll()

      const again = await world.forget({ sought: { id }, isDelivered: true })
      expect(again).toMatchObject({ status: 'again', onPlatform: 0, packs: { runs: [next.run], left: [] } })
      await world.scrub()
      expect(await world.search()).toEqual(NOWHERE)
      const last = await world.sync(after)
      for (const counts of Object.values(last.changes))
        expect(counts).toMatchObject({ create: 0, update: 0, remove: 0 })
      expect(await world.search()).toEqual(NOWHERE)
      expect(await world.verify()).toEqual([])
      await world.exportAll()
    })
  })

  test('killed at one point after the other, it ends the same', async () => {
    const world = await begin(engine, { source: 'a' })
    const sought = { id: 'zyxomma-1' }
    let deaths = 0
    for (; ; deaths += 1) {
      const died = await world.forget({ sought, failAt: deaths + 1 }).then(
        () => false,
        (error: Error) => error.message === 'killed',
      )
      if (!died) break
      // Before its one transaction, and within it.
      if (deaths < 2) expect(await searchRows(world.database())).not.toEqual([])
      else expect(await searchRows(world.database())).toEqual([])
    }
    // Points of the erasure, and of each file of three packs.
    expect(deaths).toBeGreaterThan(30)
    await world.scrub()
    expect(await world.search()).toEqual(NOWHERE)
    expect(await world.verify()).toEqual([])
    await world.exportAll()
    const next = await world.sync(afterOfA)
    expect(next.changes.attendees).toMatchObject({ create: 0, remove: 1 })
    expect(await world.verify()).toEqual([])
  })
})

describe('on postgres', () => {
  const platforms = usePlatforms()

  test('a platform over HTTP loses the person once, and no table or file ever has the id', async () => {
    const platform = await platforms.start()
    const { url, eventId, token } = platform
    const world = await makeWorld('postgres', folder(), {
      source: 'a',
      platform: { type: 'http', url, eventId, token: 'env:TOKEN', batchSize: 2 },
      env: { TOKEN: token },
    })
    worlds.push(world)
    for (const files of beforeOfA) await world.sync(files)
    await world.forget({ sought: { address: 'new@zyxomma.example' } })
    const next = await world.sync(afterOfA)
    expect(next.changes.attendees).toMatchObject({ create: 0, update: 0, remove: 1 })
    expect(await world.search()).toEqual(NOWHERE)
    expect(await world.verify()).toEqual([])
    const refreshed = await world.sync(afterOfA, true)
    for (const counts of Object.values(refreshed.changes)) {
      expect(counts).toMatchObject({ create: 0, update: 0, remove: 0 })
    }
    const again = await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(again).toMatchObject({ status: 'again', onPlatform: 0, packs: { runs: [], left: [] } })
  })

  test('what others say and have is as it was', async () => {
    const world = await begin('postgres', { source: 'a' })
    const othersOf = async () => {
      const [{ rows }, changes] = await Promise.all([
        sql`select * from published.attendees where unique_id like 'u%' order by unique_id`.execute(
          world.database().kysely,
        ),
        sql`select * from published.changes where unique_id like 'u%' order by run_id, unique_id, field`.execute(
          world.database().kysely,
        ),
      ])
      return [rows, changes.rows]
    }
    const before = await othersOf()
    await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(await othersOf()).toEqual(before)
  })

  test('nobody is taken for the person, an address that others share is left alone, and an unknown id is told', async () => {
    const world = await makeWorld('postgres', folder(), { source: 'a' })
    worlds.push(world)
    const [first] = beforeOfA
    const office = {
      Id: 'u9',
      FirstName: 'Ada',
      LastName: 'Of the office',
      EmailAddress: 'one@zyxomma.example',
    }
    const files = { ...first, Users: [...(first?.Users ?? []), office] }
    await world.sync(files)
    expect(await world.forget({ sought: { id: 'nobody' } })).toMatchObject({ status: 'unknown' })
    expect(await world.forget({ sought: { id: 'zyxomma-1' } })).toMatchObject({ sharing: 1 })
    const next = await world.sync(files)
    expect(next.changes.attendees).toMatchObject({ remove: 1, unchanged: 5 })
    const all = await world.forget({ sought: { address: 'one@zyxomma.example' } })
    expect(all).toMatchObject({ status: 'forgotten' })
    expect((await world.sync(files)).changes.attendees).toMatchObject({ remove: 1, unchanged: 4 })
  })

  test('a pack that is not there is told by name, and the others are written again', async () => {
    const world = await begin('postgres', { source: 'a' })
    const [run] = readdirSync(join(world.output, 'summit'))
    renameSync(join(world.output, 'summit', run ?? ''), join(world.output, 'elsewhere'))
    const { packs } = await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(packs.left).toEqual([{ pack: run, why: 'it is not there' }])
    expect(packs.runs).toHaveLength(2)
    renameSync(join(world.output, 'elsewhere'), join(world.output, 'summit', run ?? ''))
    expect((await world.forget({ sought: { id: 'zyxomma-1' } })).packs).toMatchObject({
      runs: [run],
      left: [],
    })
    expect(await world.search()).toEqual(NOWHERE)
    expect(await world.verify()).toEqual([])
  })

  test('signed packs have signatures afterwards too, and the key of then is needed by every run', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const file = join(folder(), 'key.pem')
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const world = await begin('postgres', { source: 'a', audit: { signingKey: `file:${file}` } })
    await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(await world.verify(publicKey)).toEqual([])
    expect(await world.search()).toEqual(NOWHERE)
    world.env.KEY = Buffer.alloc(32, 8).toString('base64')
    await expect(world.sync(afterOfA)).rejects.toThrow(
      'sealingKey: it is not the key with which people of summit',
    )
  })
})
