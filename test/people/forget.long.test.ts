import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { suppress } from '../../loaders/ledger/suppressed.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import type { Resources } from '../harness/serve-records.ts'
import { engines } from '../support/engines.ts'
import { findSourceBinding } from '../support/source-binding.ts'
import { afterOfA, afterOfB, beforeOfA, beforeOfB } from './people.ts'
import { searchRows } from './search.ts'
import { useWorlds } from './world.ts'

const { folder, begin } = useWorlds()
const historyOf = { a: beforeOfA, b: beforeOfB }

const NOWHERE = { rows: [], files: [], bytes: [], statistics: [] }

describe.each(engines)('on %s', (engine) => {
  describe.each([
    { source: 'a', id: 'zyxomma-1', after: afterOfA },
    { source: 'b', id: 'zyxomma7', after: afterOfB },
  ] as const)('from source $source', ({ source, id, after }) => {
    test('after forget, no table or file contains the person, even if the source still sends the person', async () => {
      const world = await begin(engine, { source }, historyOf[source])
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
      // The last operations file still names the person, because the platform needs the id to remove the
      // person.
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

  test('forget also erases suppressed people by id or address, even if the database has no other data about them', async () => {
    const world = await begin(engine, { source: 'a' }, beforeOfA)
    const items = [
      ['attendees', 'zyxomma-1'],
      ['speakers', 'New@Zyxomma.example'],
      ['attendees', 'zyxomma-never-read'],
      ['attendees', 'Never.Read@zyxomma.example'],
    ] as const
    const db = world.database().kysely
    const { event } = await findSourceBinding(db, 'summit')
    // The person was suppressed by summit, by expo, or by an integration of another database.
    for (const [index, [content, uniqueId]] of items.entries()) {
      const sourceBinding = { integrationId: ['summit', 'expo', ''][index % 3] ?? '', event }
      await suppress(db, sourceBinding, { content, uniqueId, since: '2031-01-01', by: 'op' })
    }
    const soughts = [
      { id: 'zyxomma-1' },
      { id: 'zyxomma-never-read' },
      { address: 'never.read@zyxomma.example' },
    ]
    for (const sought of soughts)
      expect(await world.forget({ sought })).toMatchObject({ status: 'forgotten' })
    await world.scrub()
    expect(await world.search()).toEqual(NOWHERE)
  })

  test('forget also erases custom fields whose values were read from data about the person', async () => {
    const fields = {
      agenda: {
        order: { from: 'SpeakerOrder', as: 'list' },
        owner: 'CreatedBy.Name',
        level: 'Level',
        by: 'CreatedBy.Id',
      },
      attendees: { badge: 'Id', helper: 'Assistant.Name' },
    }
    const owned = (resources: Resources, name: string): Resources => ({
      ...resources,
      Users: resources.Users?.map((user) => ({
        Assistant: { Email: 'one@zyxomma.example', Name: name },
        ...(user as object),
      })) as Resources[string],
      Sessions: resources.Sessions?.map((session) => ({
        ...(session as object),
        CreatedBy: { Id: 'zyxomma-1', EmailAddress: 'ONE@zyxomma.example', Name: name, Role: 'Expert' },
        Level: 'Expert',
        SpeakerOrder: ['zyxomma-1', 'u2'],
      })) as Resources[string],
    })
    const [first, second, third] = beforeOfA as [Resources, Resources, Resources]
    const world = await begin(engine, { source: 'a', fields }, [
      owned(first, 'Zyxomma One'),
      owned(second, 'Zyxomma Uno'),
      third,
      owned(third, 'Zyxomma One'),
    ])
    const forgotten = await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(forgotten).toMatchObject({ mentions: 0, idMentions: 0, packs: { left: [] } })
    const { rows: known } =
      await sql`select from sync.platform_items where fields::text like '%forgotten%'`.execute(
        world.database().kysely,
      )
    expect(forgotten.places['sync.platform_items']).toBe(known.length)
    await world.scrub()
    expect(await world.search()).toEqual(NOWHERE)
    expect(await world.verify()).toEqual([])
    await world.exportAll()
    expect(await world.search()).toEqual(NOWHERE)
    const { rows } = await sql<{
      level: string
    }>`select distinct custom ->> 'level' as level from published.agenda`.execute(world.database().kysely)
    // The value `Expert` is not erased, because another record contains this value too.
    expect(rows).toEqual([{ level: 'Expert' }])

    await world.sync(owned(afterOfA, 'Zyxomma One'))
    expect((await world.search()).rows).toEqual([])
    expect(await world.verify()).toEqual([])
  })

  test('forget erases the person from each pack, even if packs share files and a run happens between two attempts', async () => {
    const [, , still = {}] = beforeOfA
    const world = await begin(engine, { source: 'a' }, [still, still, still, still])
    const links = () =>
      readdirSync(join(world.output, 'summit'))
        .filter((run) => run !== 'verify.py')
        .map((run) => statSync(join(world.output, 'summit', run, 'attendees.csv')).nlink)
    expect(links()).toEqual([1, 3, 3, 3])
    const sought = { id: 'zyxomma-1' }
    await expect(world.forget({ sought, failAt: 30 })).rejects.toThrow('killed')
    const next = await world.sync(still)
    await world.forget({ sought })
    await world.scrub()
    // The last operations file still contains the person, because the platform needs the id for the removal.
    expect(await world.search()).toEqual({ ...NOWHERE, files: [`summit/${next.run}/operations.jsonl`] })
    expect(await world.verify()).toEqual([])
    await world.exportAll()
  })

  test('if forget is killed at any point and run again, the result is the same as without the kill', async () => {
    const world = await begin(engine, { source: 'a' }, beforeOfA)
    const sought = { id: 'zyxomma-1' }
    let deaths = 0
    for (; ; deaths += 1) {
      const died = await world.forget({ sought, failAt: deaths + 1 }).then(
        () => false,
        (error: Error) => error.message === 'killed',
      )
      if (!died) break
      // The first two attempts are killed before the erasing transaction has committed, so the rows still
      // contain the person.
      if (deaths < 2) expect(await searchRows(world.database())).not.toEqual([])
      else expect(await searchRows(world.database())).toEqual([])
    }
    // Together, the kills hit each point of the erasure in the database, and each point for each file of
    // three packs.
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

  test('a platform over HTTP removes the person once, and afterwards no table or file contains the id', async () => {
    const platform = await platforms.start()
    const { url, eventId, token } = platform
    const over = { type: 'http', url, eventId, token: 'env:TOKEN', batchSize: 2 }
    const options = { source: 'a', platform: over, env: { TOKEN: token } } as const
    const world = await begin('postgres', options, beforeOfA)
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

  test('each forget counts ids within longer texts or unknown fields, and erases them only on demand', async () => {
    const [first] = beforeOfA
    const link = (id: string) => `https://a.example/Sessions?$skiptoken=Id-'${id}'`
    const sessions = [
      { Id: 101, Title: 'One', TimeSlotId: 1, Moderators: [{ Id: 'zyxomma-1' }], CreatedBy: 'zyxomma-1' },
      { Id: 102, Title: 'Two', TimeSlotId: 1, Next: link('zyxomma-1') },
      { Id: 103, Title: 'Three', TimeSlotId: 1, Next: link('zyxomma-12') },
      { Id: 'zyxomma-1', Title: 'Four', TimeSlotId: 1 },
    ]
    const world = await begin('postgres', { source: 'a' }, [{ ...first, Sessions: sessions }])
    const sought = { id: 'zyxomma-1' }
    const counts = { idMentions: 2, mentions: 0 }
    expect(await world.forget({ sought })).toMatchObject({ status: 'forgotten', ...counts })
    expect(await world.forget({ sought })).toMatchObject({ status: 'again', places: {}, ...counts })
    const erased = await world.forget({ sought, erasesIdMentions: true })
    expect(erased).toMatchObject({ status: 'forgotten', idMentions: 0, places: { 'staging.a_sessions': 2 } })
    const { rows } = await sql<{ doc: string }>`
      select doc::text as doc from staging.a_sessions order by source_id`.execute(world.database().kysely)
    expect(rows.map(({ doc }) => JSON.parse(doc))).toMatchObject([
      {
        Moderators: [{ Id: expect.stringMatching(/^forgotten-/) }],
        CreatedBy: expect.stringMatching(/^forgotten-/),
      },
      { Next: expect.stringMatching(/Id-'forgotten-[0-9a-f]{20}'$/) },
      // The id `zyxomma-12` is not erased: it only begins with the person's id.
      { Next: link('zyxomma-12') },
      // A session with the id `zyxomma-1` is not erased: the id is equal to the person's id but does not
      // refer to the person.
      { Id: 'zyxomma-1' },
    ])
    expect(await world.forget({ sought })).toMatchObject({ status: 'again', idMentions: 0 })
  })

  test('an id within a text that is sent to the platform is not erased, but counted as a mention', async () => {
    const [first] = beforeOfA
    const sessions = [{ Id: 101, Title: 'Ask zyxomma-1, please', TimeSlotId: 1 }]
    const world = await begin('postgres', { source: 'a' }, [{ ...first, Sessions: sessions }])
    const sought = { id: 'zyxomma-1' }
    const counts = { mentions: 1, idMentions: 0 }
    expect(await world.forget({ sought })).toMatchObject(counts)
    expect(await world.forget({ sought, erasesIdMentions: true })).toMatchObject(counts)
    const { rows } = await sql`select title from staging.a_sessions`.execute(world.database().kysely)
    expect(rows).toEqual([{ title: 'Ask zyxomma-1, please' }])
  })

  test('forget also erases the person from a room, track or session type that the person created', async () => {
    const [first] = beforeOfA
    const CreatedBy = { Id: 'zyxomma-1', EmailAddress: 'One@Zyxomma.example', FirstName: 'Zyxomma One' }
    const made = [{ Id: 7, Name: 'Made', Title: 'Made', CreatedBy }]
    const files = { ...first, Rooms: made, Tracks: made, SessionTypes: made } as Resources
    const world = await begin('postgres', { source: 'a' }, [files])
    expect((await world.forget({ sought: { id: 'zyxomma-1' } })).places).toMatchObject({
      'staging.a_rooms': 1,
      'staging.a_tracks': 1,
      'staging.a_session_types': 1,
    })
    await world.scrub()
    expect(await world.search()).toEqual(NOWHERE)
  })

  test('forget erases nobody else, does not erase an address that others share, and reports an unknown id', async () => {
    const [first] = beforeOfA
    const office = {
      Id: 'u9',
      FirstName: 'Ada',
      LastName: 'Of the office',
      EmailAddress: 'one@zyxomma.example',
    }
    const files = { ...first, Users: [...(first?.Users ?? []), office] }
    const world = await begin('postgres', { source: 'a' }, [files])
    expect(await world.forget({ sought: { id: 'nobody' } })).toMatchObject({ status: 'unknown' })
    expect(await world.forget({ sought: { id: 'zyxomma-1' } })).toMatchObject({ sharing: 1 })
    const next = await world.sync(files)
    expect(next.changes.attendees).toMatchObject({ remove: 1, unchanged: 5 })
    const all = await world.forget({ sought: { address: 'one@zyxomma.example' } })
    expect(all).toMatchObject({ status: 'forgotten' })
    expect((await world.sync(files)).changes.attendees).toMatchObject({ remove: 1, unchanged: 4 })
  })

  test.each([
    ['pack', '', 'it is missing; if it was moved, delete it there'],
    [
      'file of details',
      'details.json',
      expect.stringMatching(/^its details\.json is missing, or is not the one that its manifest names/),
    ],
  ])('a missing %s is reported by name, and the other packs are rewritten', async (_, file, why) => {
    const world = await begin('postgres', { source: 'a' }, beforeOfA)
    const [run] = readdirSync(join(world.output, 'summit'))
    const moved = join(world.output, 'summit', run ?? '', file)
    renameSync(moved, join(world.output, 'elsewhere'))
    const { packs } = await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(packs.left).toEqual([{ pack: run, why }])
    expect(packs.runs).toHaveLength(2)
    renameSync(join(world.output, 'elsewhere'), moved)
    expect((await world.forget({ sought: { id: 'zyxomma-1' } })).packs).toMatchObject({
      runs: [run],
      left: [],
    })
    expect(await world.search()).toEqual(NOWHERE)
    expect(await world.verify()).toEqual([])
  })

  test('forget signs rewritten packs again, and later runs need the sealing key that forget used', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const file = join(folder(), 'key.pem')
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const world = await begin('postgres', { source: 'a', audit: { signingKey: `file:${file}` } }, beforeOfA)
    await world.forget({ sought: { id: 'zyxomma-1' } })
    expect(await world.verify(publicKey)).toEqual([])
    expect(await world.search()).toEqual(NOWHERE)
    world.env.KEY = Buffer.alloc(32, 8).toString('base64')
    await expect(world.sync(afterOfA)).rejects.toThrow(
      'formerSealingKeys has the key with which people of summit',
    )
  })
})
