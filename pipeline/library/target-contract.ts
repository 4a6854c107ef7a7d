import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Database } from '../../sql/database.ts'
import type { Content, Fields } from '../../sql/tables.ts'
import { DECLARED_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { checkConfig, type IntegrationConfig, readConfig } from '../config/config.ts'
import { platformReaderOf } from '../context/connect.ts'
import { limitsOf } from '../context/limits.ts'
import type { Context } from '../context/run-context.ts'
import { migrate } from '../database/migrate.ts'
import { openInMemory } from '../database/pglite.ts'
import { type SampleEvent, sampleEvent } from '../demo/sample-event.ts'
import { sampleSourceAccess, startSampleSourceA, startSampleSourceB } from '../demo/sample-sources.ts'
import { creditsInMemory, makeRateBudgets } from '../http/rate.ts'
import { runIntegration } from '../run/run.ts'
import { type Environment, machine } from '../runtime/environment.ts'
import type { Listener, Point } from '../runtime/events.ts'
import type { RunReport } from '../runtime/report.ts'
import { functionSchema } from '../settings/definition.ts'
import { isTarget } from '../targets/define-target.ts'
import type { OutsideTarget } from '../targets/target-type.ts'
import { type ContractTest, inOrder, requireSubject } from './contract.ts'

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

const SUBJECT = {
  target: z.custom(isTarget, { error: 'must be a target, which is the default export of its file' }),
  config: z.record(z.string(), z.unknown()),
  env: z.record(z.string(), z.string()).optional(),
  start: functionSchema(),
} satisfies Record<keyof TargetSubject, z.ZodType>

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

type EventOfA = SampleEvent['a']

/** Maximum number of records that are added to fill a batch. */
const MOST_ADDED = 500

/** Returns the sample event with so many sessions and people that a batch of the target is full. */
function fullFor({ limits }: OutsideTarget): EventOfA {
  const { Sessions, Users, ...others } = sampleEvent.a
  const added = Array.from({ length: Math.min(MOST_ADDED, limits.batchSize) }, (_, index) => 9001 + index)
  const [session, user] = [Sessions[0], Users[0]]
  const ofAdded = { Speakers: [], SpeakerOrder: [], Roles: 'Attendee', SpeakingAt: [] }
  return {
    ...others,
    Sessions: [...Sessions, ...added.map((id) => ({ ...session, ...ofAdded, Id: id }))],
    Users: [
      ...Users,
      ...added.map((id) => ({ ...user, ...ofAdded, Id: id, EmailAddress: `added.${id}@example.org` })),
    ],
  }
}

/** Returns the event with other texts, and without one session and some people. */
function changed({ Sessions, Users, ...others }: EventOfA): EventOfA {
  return {
    ...others,
    Sessions: Sessions.slice(1).map((session, index) =>
      index === 0 ? { ...session, Title: 'Another title' } : session,
    ),
    Users: Users.filter((_, index) => index % 7 !== 3).map((user, index) =>
      index === 0 ? { ...user, Company: 'Another Company' } : user,
    ),
  }
}

/** The sample event of Source B, in which some people have lost every value that they need not have. */
const EMPTIED: SampleEvent['b'] = {
  ...sampleEvent.b,
  registrants: sampleEvent.b.registrants.map((registrant, index) =>
    index % 2 === 0
      ? registrant
      : {
          ...registrant,
          ...{ job_title: '', company: '', bio: '', mobile_phone: '', twitter_handle: '', session_ids: [] },
        },
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
 * - Every item arrives with all its fields, and items that have not changed are not sent again. A field for
 *   which the platform has no place must be one of `limits.missingFields`.
 * - A field that loses its value loses it on the platform too.
 * - Changed items are updated and missing items are removed, and no other item changes.
 * - If a run dies at any point, the next run finishes its work.
 * - With a new database, nothing is created a second time.
 * - A text of the declared length is accepted, and a longer one is rejected before it is sent.
 * - The platform accepts batches of the declared size, and answers no request with 429.
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
  requireSubject('targetContractTests', SUBJECT, subject)
  const { target } = subject
  const { contents, removes } = target
  const FULL = fullFor(target)
  const CHANGED = changed(FULL)
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-contract-'))
  const closers: (() => Promise<void>)[] = []
  const clock = makeClock()
  const asked: { readonly port: number; readonly atMs: number }[] = []
  let records: EventOfA = FULL
  let recordsOfB = sampleEvent.b
  let refusedBatches = 0
  let refusedRequests = 0
  let dyingAt: Point | null = null
  let batches = 0
  let opening: Promise<Place> | undefined

  const events: Listener = {
    emit(_, event) {
      if (event.type === 'request' && event.resource === null) {
        asked.push({ port: event.port, atMs: clock.monotonic() })
        if (event.status === 429) refusedRequests += 1
      }
      if (event.type === 'batch answered' && (event.results.refused ?? 0) > 1) refusedBatches += 1
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

  /** Starts a source and an empty platform. */
  async function open(type: 'a' | 'b') {
    const source =
      type === 'a' ? await startSampleSourceA(() => records) : await startSampleSourceB(() => recordsOfB)
    closers.push(() => source.close())
    const platform = await subject.start(clock.monotonic)
    closers.push(() => platform.close())
    const place = openTarget(
      subject,
      type,
      { source: source.url, platform: platform.url },
      join(folder, type),
    )
    const budgets = makeRateBudgets(clock, creditsInMemory(clock))
    const context: Context = { ...place, environment: clock, events, budgets, database: await newDatabase() }
    return { context, integration: place.integration }
  }

  function opened() {
    opening ??= open('a')
    return opening
  }

  async function run(shown: EventOfA, database?: Database): Promise<RunReport> {
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

  async function expectFinished(shown: EventOfA): Promise<RunReport> {
    const report = await run(shown)
    requireFinished(report)
    await expectAsKnown(await opened())
    return report
  }

  function requireFinished({ status, error, failed = 0 }: RunReport): void {
    assert.equal(
      refusedRequests,
      0,
      'the platform answered requests with 429; check limits.requestsPerMinute',
    )
    assert.deepEqual({ status, error, failed }, { status: 'finished', error: undefined, failed: 0 })
    assert.equal(
      refusedBatches,
      0,
      'the platform refused a whole batch; check limits.batchSize, limits.uniqueFields and limits.longestTexts',
    )
  }

  /** Returns the items that the target lists, by content and unique ID. */
  async function listed(place?: Place): Promise<ReadonlyMap<string, Fields>> {
    const { context, integration } = place ?? (await opened())
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
  async function expectAsKnown(place: Place): Promise<ReadonlyMap<string, Fields>> {
    const { context } = place
    const rows = await context.database.kysely
      .selectFrom('sync.platform_items')
      .select(['content', 'unique_id', 'fields'])
      .execute()
    const known = new Map(rows.map((row) => [`${row.content} ${row.unique_id}`, row.fields]))
    const items = await listed(place)
    assert.deepEqual([...items.keys()].toSorted(), [...known.keys()].toSorted())
    for (const [name, fields] of known)
      assert.deepEqual([name, plain(items.get(name))], [name, plain(fields)])
    return items
  }

  /** Syncs the event of Source B to another platform without items, and compares all fields. */
  async function expectAllOfB(): Promise<ReadonlyMap<string, Fields>> {
    const place = await open('b')
    let items: ReadonlyMap<string, Fields> = new Map()
    for (const shown of [EMPTIED, sampleEvent.b, EMPTIED]) {
      recordsOfB = shown
      const reports = await runIntegration(place.context, place.integration, { command: 'run' })
      for (const report of reports) requireFinished(report)
      items = await expectAsKnown(place)
    }
    return items
  }

  const tests: ContractTest[] = [
    {
      name: 'every item arrives with all its fields',
      async run() {
        const { changes } = await expectFinished(FULL)
        for (const content of contents)
          assert.ok((changes[content]?.create ?? 0) > 5, `too few items of ${content} were created`)
      },
    },
    {
      name: 'fields that only other sources have arrive too, and a field that loses its value loses it on the platform',
      async run() {
        const items = [...(await listed()), ...(await expectAllOfB())]
        for (const content of contents) {
          const own = items.filter(([name]) => name.startsWith(`${content} `))
          const there = new Set(own.flatMap(([, fields]) => Object.keys(fields)))
          const expected = expectedFields(target, content)
          assert.deepEqual(
            expected.filter((field) => !there.has(field)),
            [],
            `no item of ${content} has these fields`,
          )
        }
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
            { content, isRemoved: remove > 0, isNoted },
            { content, isRemoved: removes.includes(content), isNoted: !removes.includes(content) },
          )
          const of = (names: Iterable<string>) =>
            [...names].filter((name) => name.startsWith(`${content} `)).length
          assert.equal(
            of(same.map(([name]) => name)),
            of(before.keys()) - update - remove,
            `items of ${content} changed on the platform although they were not sent`,
          )
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
          assert.deepEqual([content, create, update, remove], [content, 0, 0, 0])
        }
        assert.deepEqual(await listed(), before)
      },
    },
    {
      name: 'the platform accepts a text of the declared length, and a longer one is rejected before it is sent',
      async run() {
        const { context } = await opened()
        for (const { content, field, most, list, key } of longTexts(target)) {
          const before = records
          const withText = (text: string) => ({
            ...before,
            [list]: before[list].map((one, index) => (index === 0 ? { ...one, [key]: text } : one)),
          })
          await expectFinished(withText('é'.repeat(most)))
          const askedBefore = asked.length
          const { status, failed, run: runId } = await run(withText('é'.repeat(most + 1)))
          assert.equal(status, 'finished')
          assert.ok((failed ?? 0) > 0, `${content}.${field} was not rejected`)
          assert.ok(asked.length > askedBefore, 'the run did not ask the platform for its state')
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
        for (const times of Map.groupBy(asked, ({ port }) => port).values()) {
          for (const [index, { atMs }] of times.entries()) {
            const end = times[index + most]?.atMs
            assert.ok(end === undefined || end - atMs >= MINUTE_MS, `${most + 1} requests within a minute`)
          }
        }
      },
    },
  ]
  return {
    tests: inOrder(tests),
    async close() {
      for (const close of closers.reverse()) await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A source, an empty platform and a database, between which the tests sync. */
interface Place {
  readonly context: Context
  readonly integration: IntegrationConfig
}

/** Returns the fields that items of a content must have on the platform, except those that the target declares missing. */
function expectedFields({ contents, missingFields }: OutsideTarget, content: Content): readonly string[] {
  // A field that refers to items is left out if the target does not take these items.
  const own = DECLARED_FIELDS[content].filter(
    ({ refersTo }) => refersTo === null || contents.includes(refersTo),
  )
  const missing = missingFields?.[content] ?? []
  return [...own.map(({ name }) => name), 'custom'].filter((field) => !missing.includes(field))
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

/** A key of the records from which the items of a content get a custom field. */
const OWN_KEYS = { a: 'Id', b: 'id' } as const

function sourceOf(type: 'a' | 'b', url: string) {
  const access = { a: sampleSourceAccess.a, b: { ...sampleSourceAccess.b, ...SECRETS_OF_B } }[type]
  return { type, url, ...access, timeZone: sampleEvent.timeZone }
}

const SECRETS_OF_B = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' } as const

function openTarget(
  { target, config: own, env = {} }: TargetSubject,
  type: 'a' | 'b',
  urls: { readonly source: string; readonly platform: string },
  folder: string,
) {
  const { contents, removes, takesPasswords, missingFields = {} } = target
  const withCustom = contents.filter((content) => !missingFields[content]?.includes('custom'))
  const hasAttendees = contents.includes('attendees')
  const integration = {
    id: INTEGRATION,
    source: sourceOf(type, urls.source),
    content: contents,
    fields: Object.fromEntries(withCustom.map((content) => [content, { own: OWN_KEYS[type] }])),
    platform: { ...own, type: target.name, url: urls.platform },
    removals: { maxShare: 1, maxStatedShare: 1 },
    guards: { massUpdate: 1, blackout: false },
    ...(hasAttendees && !removes.includes('attendees') && { handover: 'update' }),
    ...(hasAttendees && takesPasswords && { passwords: { mode: 'global', global: 'env:FIRST_PASSWORD' } }),
  }
  const text = JSON.stringify({ sealingKey: 'env:KEY', integrations: [integration] })
  const { apiKey: API_KEY, authenticationSecret: AUTHENTICATION_SECRET } = sampleSourceAccess.b
  const variables = {
    ...env,
    API_KEY,
    AUTHENTICATION_SECRET,
    FIRST_PASSWORD: PASSWORD,
    KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const environment = { env: variables, readFile: () => text }
  const outside = { sources: new Map(), targets: new Map([[target.name, target]]) }
  const config = checkConfig(readConfig('event-sync.yaml', environment), environment, outside)
  const [checked] = config.integrations
  if (checked === undefined) throw new Error('the configuration has no integration')
  const secrets = { ...environment, configFolder: folder }
  return { config, integration: checked, secrets, outputFolder: folder }
}
