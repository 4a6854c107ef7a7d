import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../pipeline/config/config.ts'
import { checkPlatform } from '../../pipeline/inspect/set-up.ts'
import type { Records, Served } from '../../pipeline/library/contract.ts'
import type { RecordedRunOptions } from '../../pipeline/run/recorded-run.ts'
import { type Listener, type Point, silent } from '../../pipeline/runtime/events.ts'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import { TARGETS } from '../../pipeline/targets/registry.ts'
import type { Database } from '../../sql/database.ts'
import { PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { atPoints, openPlace, runLast } from '../harness/place.ts'
import { exampleA } from '../sources/a.ts'
import { recordsOf } from '../sources/example.ts'
import { engines, openEngine } from '../support/engines.ts'
import { useFolder, useOneFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import type { StartedPlatform, TargetExample } from './example.ts'

const { sessions: session = {}, users: user = {} } = exampleA.full
const session2 = { ...session, Id: 'S/2 – b', Title: 'Closing, "with" quotes', Speakers: [{ Id: 'U1' }] }
const user2 = { ...user, Id: 'U2', EmailAddress: 'grace@example.org', FirstName: 'Grace', LastName: 'Hopper' }

const records = (sessions: Records[string] = [], users: Records[string] = []) =>
  recordsOf(exampleA, { sessions, users })

const FIRST = records([session, session2], [user, user2])

/** Registers the tests that every target must pass. */
export function contractTests(name: keyof typeof TARGETS, example: TargetExample): void {
  const empty = useFolder()

  // Each test begins with the database and platform that the test before has left.
  describe.each(engines)('on %s', (engine) => {
    const database = useDatabase(engine)
    const folder = useOneFolder()
    const id = `contract-${name}`
    let served: Served
    let platform: StartedPlatform
    beforeAll(async () => {
      served = await exampleA.serve(FIRST)
      platform = await example.start(join(folder, 'platform'), join(folder, 'out', id))
      return async () => {
        await platform.close()
        await served.close()
      }
    })

    /** @param point a named point; the run dies when it reaches the point for the first time */
    function run(
      point?: Point,
      other: Database = database(),
      options: Partial<RecordedRunOptions> = {},
      output = 'out',
    ) {
      let isDue = true
      const at = (reached: Point) => {
        if (reached !== point || !isDue) return
        isDue = false
        throw new Error(`broken off where ${point}`)
      }
      return runLast(open(other, atPoints(at), output), options)
    }

    function open(on: Database, events: Listener = silent, output = 'out') {
      return openPlace({
        database: on,
        output: join(folder, output),
        env: { ...exampleA.env, ...platform.env },
        config: { sealingKey: 'env:KEY' },
        integration: {
          id,
          source: { ...exampleA.source, url: served.url },
          platform: platform.platform,
          passwords: { mode: 'none' },
          removals: { maxShare: 1 },
        },
        events,
      })
    }

    function changesOf({ changes }: RunReport) {
      const sum = (action: 'create' | 'update' | 'remove') =>
        Object.values(changes).reduce((total, counts) => total + counts[action], 0)
      return { create: sum('create'), update: sum('update'), remove: sum('remove') }
    }

    /** Returns the items that are on the platform according to the product's database. */
    async function known() {
      const items = await database()
        .kysely.selectFrom('sync.platform_items')
        .where('integration_id', '=', id)
        .select(['content', 'unique_id', 'fields'])
        .execute()
      return Object.fromEntries(items.map((item) => [`${item.content} ${item.unique_id}`, item.fields]))
    }

    test('the command check reports that the target can be written to', async () => {
      const { context, integration } = open(database())
      expect(await checkPlatform(context, integration)).toMatchObject({
        rule: { id: 'platform' },
        status: 'ok',
      })
    })

    test('every item of the source arrives on the platform with all its fields', async () => {
      const report = await run()
      expect(report).toMatchObject({ status: 'finished', failed: 0 })
      expect(changesOf(report)).toEqual({ create: 6, update: 0, remove: 0 })
      const items = await platform.items()
      expect(Object.keys(items).toSorted()).toEqual([
        'agenda S/2 – b',
        'agenda S1',
        'attendees U1',
        'attendees U2',
        'speakers U1',
        'speakers U2',
      ])
      expect(items['agenda S/2 – b']).toMatchObject({ name: 'Closing, "with" quotes', speakerIds: ['U1'] })
      expect(Object.keys(items['speakers U1'] ?? {})).toEqual(
        expect.arrayContaining(PLATFORM_FIELDS.speakers.filter((field) => field !== 'twitter')),
      )
      expect(items).toEqual(await known())
    })

    test('items that are already on the platform are not sent again', async () => {
      const before = await platform.items()
      const report = await run()
      expect(report.status).toBe('finished')
      expect(changesOf(report)).toEqual({ create: 0, update: 0, remove: 0 })
      expect(await platform.items()).toEqual(before)
    })

    test('changed items are updated, missing items are removed, and no other item is changed', async () => {
      const before = await platform.items()
      served.hold(records([{ ...session, Title: 'Welcome' }], [user, user2]))
      expect(await run()).toMatchObject({ status: 'finished', failed: 0 })
      const items = await platform.items()
      expect(items['agenda S1']).toMatchObject({ name: 'Welcome' })
      expect(items['agenda S/2 – b']).toBeUndefined()
      expect(items['attendees U2']).toEqual(before['attendees U2'])
      expect(items).toEqual(await known())
    })

    const points = [
      'plan stored',
      'outbox written',
      'operations sent',
      'plan applied',
      'pack written',
    ] as const
    test.each(points)('if a run dies at the point "%s", the next run finishes its work', async (point) => {
      const title = `Broken off where ${point}`
      served.hold(records([{ ...session, Title: title }, session2], [user]))
      const brokenOff = await run(point).then(
        ({ error = '' }) => error,
        (error: Error) => error.message,
      )
      expect(brokenOff).toContain(`broken off where ${point}`)
      expect(await run()).toMatchObject({ status: 'finished' })
      const items = await platform.items()
      expect(items['agenda S1']).toMatchObject({ name: title })
      expect(items).toEqual(await known())
      served.hold(FIRST)
      expect(await run()).toMatchObject({ status: 'finished' })
    })

    test('with a new database, items that are already on the platform are not created again', async () => {
      const other = await openEngine(engine)
      try {
        const before = await platform.items()
        const running = run(undefined, other)
        if (TARGETS[name].read === null) {
          await expect(running).rejects.toThrow(/this database has no run of .*, but the packs in /)
        } else {
          const report = await running
          expect(report.status).toBe('finished')
          expect(changesOf(report)).toEqual({ create: 0, update: 0, remove: 0 })
        }
        expect(await platform.items()).toEqual(before)
      } finally {
        await other.close()
      }
    })

    const canBeAsked = TARGETS[name].read !== null
    test.runIf(canBeAsked)(
      'if a newer run has written to the platform, an older run can change nothing',
      async () => {
        const other = await openEngine(engine)
        try {
          for (const title of ['Newer', 'Newest']) {
            served.hold(records([{ ...session, Title: title }, session2], [user, user2]))
            expect(await run(undefined, other, {}, 'elsewhere')).toMatchObject({ status: 'finished' })
          }
          served.hold(records([{ ...session, Title: 'Behind' }, session2], [user, user2]))
          await expect(run(undefined, database(), {}, 'empty')).rejects.toThrow(
            /the platform has accepted fence .* `event-sync run .* --refresh`/,
          )
          expect((await platform.items())['agenda S1']).toMatchObject({ name: 'Newest' })
        } finally {
          await other.close()
        }
      },
    )
  })

  test('the option for passwords is required if the target uses passwords, and otherwise not', async () => {
    const platform = await example.start(join(empty(), 'platform'), join(empty(), 'packs'))
    await platform.close()
    const source = { ...exampleA.source, url: 'https://source.example' }
    const text = JSON.stringify({ integrations: [{ id: 'one', source, platform: platform.platform }] })
    const load = () => loadConfig('event-sync.yaml', { env: {}, readFile: () => text })
    if (TARGETS[name].takesPasswords)
      expect(load).toThrow(/passwords: is missing, so each attendee would get a random password; set /)
    else expect(load).not.toThrow()
  })
}
