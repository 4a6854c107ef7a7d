import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../sql/database.ts'
import type { Fields } from '../../sql/tables.ts'
import { checkConfig, readConfig } from '../config/config.ts'
import { platformReaderOf } from '../context/connect.ts'
import { limitsOf } from '../context/limits.ts'
import type { Context } from '../context/run-context.ts'
import { migrate } from '../database/migrate.ts'
import { openInMemory } from '../database/pglite.ts'
import { type SampleEvent, sampleEvent } from '../demo/sample-event.ts'
import { sampleSourceAccess, startSampleSourceA } from '../demo/sample-sources.ts'
import { creditsInMemory, makeRateBudgets } from '../http/rate.ts'
import { runIntegration } from '../run/run.ts'
import { type Environment, machine } from '../runtime/environment.ts'
import type { Listener, Point } from '../runtime/events.ts'
import type { RunReport } from '../runtime/report.ts'
import type { OutsideTarget } from '../targets/target-type.ts'
import type { ContractTest } from './contract.ts'

/** A target, and a platform without items on which its tests run. */
export interface TargetSubject {
  /** The target, which is the default export of its file. */
  readonly target: OutsideTarget
  /** Value of `platform` in event-sync.yaml, without `type` and `url`. */
  readonly config: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /**
   * Starts a server that answers as the platform would, with no items.
   *
   * @param now returns the time of the tests in milliseconds. The waits of the product take no real time, so
   *   a server that counts requests in a minute must use this time
   */
  start(now: () => number): Promise<{ readonly url: string; close(): Promise<void> }>
}

const INTEGRATION = 'contract'
const PASSWORD = 'first-password'
/** A minute by the clock of the tests. */
const MINUTE_MS = 60_000

/** The points at which a run dies in these tests. Each is just before or after something is durable. */
const POINTS = [
  'batch stored',
  'platform asked',
  'platform answered',
  'answer recorded',
  'operations sent',
] as const satisfies readonly Point[]

const FULL = sampleEvent.a

/** The event with other texts, and without one session and some people. */
const CHANGED: SampleEvent['a'] = {
  ...FULL,
  Sessions: FULL.Sessions.slice(1).map((session, index) =>
    index === 0 ? { ...session, Title: 'Another title' } : session,
  ),
  Users: FULL.Users.filter((_, index) => index % 7 !== 3).map((user, index) =>
    index === 0 ? { ...user, Company: 'Another Company' } : user,
  ),
}

/** Where the sample source has the value of a field. */
const ORIGINS: Readonly<Record<string, readonly [list: 'Sessions' | 'Users', key: string]>> = {
  'agenda.name': ['Sessions', 'Title'],
  'agenda.description': ['Sessions', 'Description'],
  ...Object.fromEntries(
    (['speakers', 'attendees'] as const).flatMap((content) =>
      (['FirstName', 'LastName', 'Title', 'Company', 'EmailAddress'] as const).map((key) => [
        `${content}.${key.charAt(0).toLowerCase()}${key.slice(1)}`,
        ['Users', key] as const,
      ]),
    ),
  ),
  'attendees.biography': ['Users', 'Biography'],
  'speakers.description': ['Users', 'Biography'],
}

/**
 * Returns the tests that every target outside this package must pass:
 *
 * - Every item arrives with all its fields, and items that have not changed are not sent again.
 * - Changed items are updated and missing items are removed, and no other item changes.
 * - If a run dies at any point, the next run finishes its work.
 * - With a new database, nothing is created a second time.
 * - A text that is too long is rejected before it is sent.
 * - The platform never gets more requests in a minute than it takes.
 *
 * Each test continues from the state after the previous test. Run the tests in this order, and call `close`
 * at the end.
 *
 * @param openDatabase opens an empty database; default: an embedded database in memory
 */
export function targetContractTests(
  subject: TargetSubject,
  openDatabase: () => Promise<Database> = openInMemory,
) {
  const { target } = subject
  const { contents, removes } = target
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-contract-'))
  const closers: (() => Promise<void>)[] = []
  const clock = makeClock()
  const askedMs: number[] = []
  let records: SampleEvent['a'] = FULL
  let dyingAt: Point | null = null
  let batches = 0
  let opening: ReturnType<typeof open> | undefined

  const events: Listener = {
    emit(_, event) {
      if (event.type === 'request' && event.resource === null) askedMs.push(clock.monotonic())
      if (event.type === 'batch sent') batches += 1
      if (event.type !== 'reached' || event.point !== dyingAt) return
      // A point such as `platform asked` also occurs before the first batch is sent.
      if (batches === 0 && event.point !== 'batch stored') return
      dyingAt = null
      throw new Error(`broken off at ${event.point}`)
    },
  }

  async function newDatabase(): Promise<Database> {
    const database = await openDatabase()
    closers.push(() => database.close())
    await migrate(database)
    return database
  }

  async function open() {
    const source = await startSampleSourceA(() => records)
    closers.push(() => source.close())
    const platform = await subject.start(clock.monotonic)
    closers.push(() => platform.close())
    const place = openTarget(subject, { source: source.url, platform: platform.url }, folder)
    const budgets = makeRateBudgets(clock, creditsInMemory(clock))
    const context: Context = { ...place, environment: clock, events, budgets, database: await newDatabase() }
    return { context, integration: place.integration }
  }

  function opened() {
    opening ??= open()
    return opening
  }

  async function run(shown: SampleEvent['a'], database?: Database): Promise<RunReport> {
    records = shown
    batches = 0
    const { context, integration } = await opened()
    // Another database gets another output folder, because the packs of the first do not belong to it.
    const other = database === undefined ? {} : { database, outputFolder: join(folder, 'elsewhere') }
    const reports = await runIntegration({ ...context, ...other }, integration, { command: 'run' })
    const report = reports.at(-1)
    if (report === undefined) throw new Error('nothing was run')
    return report
  }

  async function expectFinished(shown: SampleEvent['a']): Promise<RunReport> {
    const report = await run(shown)
    const { status, error, failed = 0 } = report
    assert.deepEqual({ status, error, failed }, { status: 'finished', error: undefined, failed: 0 })
    await expectAsKnown()
    return report
  }

  /** Returns the items that the target lists, by content and unique ID. */
  async function listed(): Promise<ReadonlyMap<string, Fields>> {
    const { context, integration } = await opened()
    const limits = limitsOf(context, integration)
    try {
      const reader = platformReaderOf({ ...context, limits }, integration)
      assert.ok(reader !== null)
      const items = new Map<string, Fields>()
      for (const content of contents) {
        const before = items.size
        for await (const page of reader.itemsOf(content))
          for (const { uniqueId, fields } of page.items) items.set(`${content} ${uniqueId}`, fields)
        const { total } = await reader.stateOf(content)
        assert.equal(total, items.size - before, `count of ${content} is not the number of listed items`)
      }
      return items
    } finally {
      limits.connections.close()
    }
  }

  /** Compares the items that the target lists with the items that were sent. */
  async function expectAsKnown(): Promise<ReadonlyMap<string, Fields>> {
    const { context } = await opened()
    const rows = await context.database.kysely
      .selectFrom('sync.platform_items')
      .select(['content', 'unique_id', 'fields'])
      .execute()
    const known = new Map(rows.map((row) => [`${row.content} ${row.unique_id}`, row.fields]))
    const items = await listed()
    assert.deepEqual([...items.keys()].toSorted(), [...known.keys()].toSorted())
    for (const [name, fields] of known) assert.deepEqual(plain(items.get(name)), plain(fields), name)
    return items
  }

  const tests: ContractTest[] = [
    {
      name: 'every item arrives with all its fields',
      async run() {
        const { changes } = await expectFinished(FULL)
        for (const content of contents) assert.ok((changes[content]?.create ?? 0) > 5, content)
      },
    },
    {
      name: 'what has not changed is not sent again',
      async run() {
        await expectFinished(FULL)
        assert.equal(batches, 0)
      },
    },
    {
      name: 'changed items are updated, missing items are removed, and no other item changes',
      async run() {
        const before = await listed()
        const { changes, notes = [] } = await expectFinished(CHANGED)
        const after = await listed()
        const same = [...before].filter(
          ([name, fields]) => JSON.stringify(plain(after.get(name))) === JSON.stringify(plain(fields)),
        )
        for (const content of contents) {
          const { update, remove } = changes[content] ?? { update: 0, remove: 0 }
          assert.ok(update > 0, `no item of ${content} was updated`)
          const isNoted = notes.some((note) => note.startsWith(`${content}: `) && note.includes('withheld'))
          assert.deepEqual(
            { isRemoved: remove > 0, isNoted },
            { isRemoved: removes.includes(content), isNoted: !removes.includes(content) },
          )
          const of = (names: Iterable<string>) =>
            [...names].filter((name) => name.startsWith(`${content} `)).length
          assert.equal(of(same.map(([name]) => name)), of(before.keys()) - update - remove, content)
        }
      },
    },
    ...POINTS.map((point, index) => ({
      name: `if a run dies at the point "${point}", the next run finishes its work`,
      async run() {
        const [shown, back] = index % 2 === 0 ? [FULL, CHANGED] : [CHANGED, FULL]
        dyingAt = point
        const ended = await run(shown).then(
          ({ error = '' }) => error,
          (error: unknown) => String(error),
        )
        assert.match(ended, new RegExp(`broken off at ${point}`))
        await expectFinished(shown)
        await expectFinished(shown)
        assert.equal(batches, 0)
        if (index === POINTS.length - 1) await expectFinished(back)
      },
    })),
    {
      name: 'with a new database, items that are already on the platform are not created again',
      async run() {
        const before = await listed()
        const { status, changes } = await run(records, await newDatabase())
        assert.equal(status, 'finished')
        for (const content of contents) {
          const { create = 0, update = 0, remove = 0 } = changes[content] ?? {}
          assert.deepEqual({ create, update, remove }, { create: 0, update: 0, remove: 0 }, content)
        }
        assert.deepEqual(await listed(), before)
      },
    },
    {
      name: 'a text that is too long is rejected before it is sent, and the rejection names the field',
      async run() {
        const { context } = await opened()
        for (const { content, field, most, list, key } of longTexts(target)) {
          const before = records
          const changed = records[list].map((one, index) =>
            index === 0 ? { ...one, [key]: 'é'.repeat(most + 1) } : one,
          )
          const asked = askedMs.length
          const { status, failed, run: runId } = await run({ ...records, [list]: changed })
          assert.equal(status, 'finished')
          assert.ok((failed ?? 0) > 0, `${content}.${field} was not rejected`)
          assert.ok(askedMs.length > asked, 'the run did not ask the platform for its state')
          const rejected = await context.database.kysely
            .selectFrom('sync.changes')
            .where('run_id', '=', String(runId))
            .where('content', '=', content)
            .where('state', '=', 'failed')
            .select('code')
            .execute()
          const code = `${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_too_long`
          assert.ok(
            rejected.some((one) => one.code === code),
            `${content}.${field} has no code ${code}`,
          )
          await expectFinished(before)
        }
      },
    },
    {
      name: 'the platform never gets more requests in a minute than it takes, retries included',
      async run() {
        const most = target.limits.requestsPerMinute ?? Number.POSITIVE_INFINITY
        for (const [index, begin] of askedMs.entries()) {
          const end = askedMs[index + most]
          assert.ok(end === undefined || end - begin >= MINUTE_MS, `${most + 1} requests within a minute`)
        }
      },
    },
  ]
  return {
    tests: tests as readonly ContractTest[],
    async close() {
      for (const close of closers.reverse()) await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes an environment whose waits take no real time, but move its clock. */
function makeClock(): Environment {
  let skippedMs = 0
  return {
    ...machine,
    now: () => Math.round(machine.now() + skippedMs),
    monotonic: () => machine.monotonic() + skippedMs,
    async sleep(ms) {
      skippedMs += ms
    },
  }
}

/** Returns each field with a limit that a record of the sample source can exceed. */
function longTexts({ limits, contents }: OutsideTarget) {
  return contents.flatMap((content) =>
    Object.entries(limits.longestTexts?.[content] ?? {}).flatMap(([field, most]) => {
      const origin = ORIGINS[`${content}.${field}`]
      return origin === undefined ? [] : [{ content, field, most, list: origin[0], key: origin[1] }]
    }),
  )
}

/** Returns fields as plain JSON, with sorted keys. */
function plain(fields: Fields | undefined): unknown {
  const sorted = Object.entries(fields ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.parse(JSON.stringify(Object.fromEntries(sorted)))
}

function openTarget(
  { target, config: own, env = {} }: TargetSubject,
  urls: { readonly source: string; readonly platform: string },
  folder: string,
) {
  const { contents, removes, takesPasswords } = target
  const hasAttendees = contents.includes('attendees')
  const integration = {
    id: INTEGRATION,
    source: { type: 'a', url: urls.source, ...sampleSourceAccess.a, timeZone: sampleEvent.timeZone },
    content: contents,
    platform: { ...own, type: target.name, url: urls.platform },
    removals: { maxShare: 1, maxStatedShare: 1 },
    guards: { massUpdate: 1, blackout: false },
    ...(hasAttendees && !removes.includes('attendees') && { handover: 'update' }),
    ...(hasAttendees && takesPasswords && { passwords: { mode: 'global', global: 'env:FIRST_PASSWORD' } }),
  }
  const text = JSON.stringify({ sealingKey: 'env:KEY', integrations: [integration] })
  const variables = { ...env, FIRST_PASSWORD: PASSWORD, KEY: Buffer.alloc(32, 7).toString('base64') }
  const environment = { env: variables, readFile: () => text }
  const outside = { sources: new Map(), targets: new Map([[target.name, target]]) }
  const config = checkConfig(readConfig('event-sync.yaml', environment), environment, outside)
  const [checked] = config.integrations
  if (checked === undefined) throw new Error('the configuration has no integration')
  const secrets = { ...environment, configFolder: folder }
  return { config, integration: checked, secrets, outputFolder: folder }
}
