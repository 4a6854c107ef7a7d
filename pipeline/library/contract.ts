import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { findQuarantined } from '../../loaders/ledger/quarantine.ts'
import type { Database } from '../../sql/database.ts'
import type { ChangeCounts, Content } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'
import { contentsNeeding } from '../../transforms/declare/source.ts'
import type { JsonObject } from '../../transforms/rules/values.ts'
import { checkConfig, readConfig } from '../config/config.ts'
import type { Context } from '../context/run-context.ts'
import { migrate } from '../database/migrate.ts'
import { openInMemory } from '../database/pglite.ts'
import { explainItem } from '../inspect/explain.ts'
import { forget } from '../people/forget.ts'
import { runIntegration } from '../run/run.ts'
import { machine } from '../runtime/environment.ts'
import { silent } from '../runtime/events.ts'
import type { RunReport } from '../runtime/report.ts'
import { functionSchema, mistakesIn } from '../settings/definition.ts'
import { section } from '../settings/values.ts'
import { readContextOf } from '../sources/contract/read-record.ts'
import type { AnySourceType } from '../sources/contract/source-type.ts'
import { SOURCES } from '../sources/registry.ts'
import { emptyColumns } from './empty-columns.ts'
import { findLeftValue, type SearchedPlace } from './left-values.ts'

/** Records of a source for each resource, as the source returns them. */
export type Records = Readonly<Record<string, readonly JsonObject[]>>

/** A server that answers as the source would. */
export interface Served {
  readonly url: string
  /** Sets the records that the server returns from now on. */
  hold(records: Records): void
  close(): Promise<void>
}

/** A source, and what its tests need: records and a server. */
export interface ContractSubject {
  /** The source, which is the default export of its file. */
  readonly source: AnySourceType
  /** Value of `source` in event-sync.yaml, without `type` and `url`. */
  readonly config: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /**
   * One record for each resource, from which each content gets one item. Every field that the source reads
   * has a value; a value that such a record cannot have, such as the time of a cancellation, is null.
   */
  readonly full: Readonly<Record<string, JsonObject>>
  serve(records: Records): Promise<Served>
}

const SUBJECT = {
  source: z.custom((value) => typeof Reflect.get(Object(value), 'transform') === 'object', {
    error: 'must be a source, which is the default export of its file',
  }),
  config: z.record(z.string(), z.unknown()),
  env: z.record(z.string(), z.string()).optional(),
  full: z.record(z.string(), z.record(z.string(), z.unknown())),
  serve: functionSchema(),
} satisfies Record<keyof ContractSubject, z.ZodType>

/** Checks the subject of contract tests. @throws Error with all mistakes, each with its key */
export function requireSubject(tests: string, shape: z.core.$ZodLooseShape, subject: unknown): void {
  const mistakes = mistakesIn(section(shape), subject)
  if (mistakes.length > 0) throw new Error(`${tests}: ${mistakes.join('; ')}`)
}

/** One test. Any test runner can run this test as `test(name, run)`. */
export interface ContractTest {
  readonly name: string
  /** Runs the test. @throws AssertionError if the source does not pass it */
  run(): Promise<void>
}

/**
 * Lets no test run after a test that failed. Each test continues from the state after the previous test, so a
 * later failure would only hide the cause.
 */
export function inOrder(tests: readonly ContractTest[]): readonly ContractTest[] {
  let failed: string | null = null
  return tests.map(({ name, run }) => ({
    name,
    async run() {
      // A test runner may try a failed test again.
      if (failed !== null && failed !== name)
        throw new Error(
          `not tested, because each test continues from the one before, and this failed: ${failed}`,
        )
      failed = name
      await run()
      failed = null
    },
  }))
}

/**
 * Returns the tests that every source must pass:
 *
 * - Records become items, and unchanged items are not sent again.
 * - Every field of an item can be explained.
 * - A plan is held if the source has lost its records.
 * - A record that cannot be read removes no item.
 * - A forgotten person is not synced again.
 *
 * Each test continues from the state after the previous test. Run the tests in this order, and call `close`
 * at the end.
 *
 * @param openDatabase opens an empty database, which the caller must close; default: an embedded database in
 *   memory
 */
export function contractTests(subject: ContractSubject, openDatabase?: () => Database) {
  requireSubject('contractTests', SUBJECT, subject)
  const { source, full } = subject
  const integrationId = `contract-${source.name}`
  const { contents, people } = source.transform
  const names = contents.map(({ content }) => content)
  const recordsOf = (held: (record: JsonObject) => readonly JsonObject[]): Records =>
    Object.fromEntries(Object.entries(full).map(([resource, record]) => [resource, held(record)]))
  const records = recordsOf((record) => [record])
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-contract-'))
  const closers: (() => Promise<void>)[] = []
  let opening: ReturnType<typeof open> | undefined

  async function open() {
    const served = await subject.serve(records)
    closers.push(() => served.close())
    const database = openDatabase?.() ?? (await openInMemory())
    if (openDatabase === undefined) closers.push(() => database.close())
    await migrate(database, source.name in SOURCES ? [] : [source])
    return { ...openSubject(subject, served.url, database, folder), served, db: database.kysely }
  }

  function opened() {
    opening ??= open()
    return opening
  }

  async function run(): Promise<RunReport> {
    const { context, integration } = await opened()
    const reports = await runIntegration(context, integration, { command: 'run' })
    const report = reports.at(-1)
    if (report === undefined) throw new Error('nothing was run')
    return report
  }

  async function hold(held: Records): Promise<RunReport> {
    const { served } = await opened()
    served.hold(held)
    return run()
  }

  async function expectRestored(): Promise<void> {
    requireFinished(await hold(records))
  }

  function expectChanges({ changes, excluded }: RunReport, each: ChangeCounts): void {
    const expected = Object.fromEntries(names.map((content) => [content, each]))
    const planned = Object.fromEntries(names.map((content) => [content, changes[content]]))
    // If an item is missing, the counts of excluded records show the reason.
    assert.deepEqual({ changes: planned, excluded }, { changes: expected, excluded: {} })
  }

  async function itemOf(content: Content): Promise<string> {
    const { db } = await opened()
    const { unique_id } = await db
      .selectFrom('sync.platform_items')
      .where(({ and }) => and({ integration_id: integrationId, content }))
      .select('unique_id')
      .executeTakeFirstOrThrow()
    return unique_id
  }

  async function stagedRows(
    table: keyof StagingTables,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { db } = await opened()
    return db.selectFrom(asAny(table)).selectAll().where('integration_id', '=', integrationId).execute()
  }

  /** Fails if a record was not stored, or if a column of a record has no value. */
  async function expectFilled(run: string): Promise<void> {
    const { db, integration } = await opened()
    const context = readContextOf(integration.source)
    const mistakes: string[] = []
    for await (const page of findQuarantined(db, integrationId, run))
      mistakes.push(...page.map(({ resource, path, detail }) => `${resource}: ${path}: ${detail}`))
    for (const resource of source.transform.resources) {
      if (contentsNeeding(source.transform, resource).length === 0) continue
      const rows = await stagedRows(resource.table as keyof StagingTables)
      if (rows.length === 0) mistakes.push(`${resource.name}: no record was stored; \`full\` needs one`)
      mistakes.push(...rows.flatMap((row) => emptyColumns(resource, row, context)))
    }
    assert.ok(mistakes.length === 0, mistakes.join('\n'))
  }

  /** Returns the values of the person's record that are in columns with personal data, each with its column. */
  async function personalValues(): Promise<readonly (readonly [column: string, value: string])[]> {
    const columns = Object.keys(people.erased).filter((column) => !people.plain.includes(column))
    return (await stagedRows(people.table)).flatMap((row) =>
      columns.flatMap((column) => {
        const value = row[column]
        return typeof value === 'string' && value.length > 3 ? [[column, value] as const] : []
      }),
    )
  }

  async function expectNothingLeft(values: Awaited<ReturnType<typeof personalValues>>): Promise<void> {
    const { db } = await opened()
    const places: SearchedPlace[] = []
    for (const content of names) {
      const rows = await db
        .selectFrom('sync.platform_items')
        .where(({ and }) => and({ integration_id: integrationId, content }))
        .select('fields')
        .execute()
      places.push({ name: `an item of ${content}: `, isOfPeople: content !== 'agenda', rows })
    }
    const mapped = contents.flatMap((content) => content.mapped.map(({ table }) => table))
    for (const table of new Set([people.table, ...mapped]))
      places.push({ name: table, isOfPeople: table === people.table, rows: await stagedRows(table) })
    const left = findLeftValue(values, places)
    assert.ok(left === null, left ?? '')
  }

  const tests: ContractTest[] = [
    {
      name: 'its records become an item of every content, all of them read to a proved end',
      async run() {
        const report = await run()
        if (report.status === 'failed') requireFinished(report)
        assert.ok(report.certified, ['a read was not proved complete', ...(report.notes ?? [])].join('\n'))
        await expectFilled(String(report.run))
        requireFinished(report)
        expectChanges(report, { create: 1, update: 0, remove: 0, unchanged: 0 })
      },
    },
    {
      name: 'what has not changed is not sent again',
      async run() {
        const report = await run()
        requireFinished(report)
        expectChanges(report, { create: 0, update: 0, remove: 0, unchanged: 1 })
      },
    },
    ...names.map((content) => ({
      name: `every field of ${content} is explained, down to the record`,
      async run() {
        const { context, integration } = await opened()
        const { config, database } = context
        const asked = { config, integration, content, uniqueId: await itemOf(content), showPersonal: true }
        const { standing, fields } = await database.transaction((transaction) =>
          explainItem(transaction, asked),
        )
        assert.equal(standing, 'synced')
        const filled = fields.filter(({ value }) => value !== null)
        assert.ok(
          filled.length > 2,
          `only ${filled.length} fields of ${content} have a value: the record in \`full\` needs a value in every field`,
        )
        for (const { field, from, references = [] } of filled) {
          assert.ok(
            from.length + references.length > 0,
            `nothing says where ${field} of ${content} comes from: name its columns in \`from\``,
          )
        }
      },
    })),
    {
      name: 'the plan is held when the source has lost its records',
      async run() {
        const { status, error } = await hold(recordsOf(() => []))
        assert.ok(
          status === 'held',
          `without records, the run was ${status}${error === undefined ? '' : `: ${error}`}; check that the server returns no records after \`hold\` has set empty lists`,
        )
        await expectRestored()
      },
    },
    {
      name: 'a record without an id is quarantined, and nothing is removed because of it',
      async run() {
        const report = await hold(recordsOf(() => [{}]))
        requireFinished(report)
        assert.ok(
          report.quarantined > 0,
          'an empty record was not quarantined: it must have no id, and the server must return it after `hold` has set it',
        )
        const removing = names.filter((content) => (report.changes[content]?.remove ?? 0) > 0)
        assert.deepEqual(removing, [], 'items of these contents were removed')
        await expectRestored()
      },
    },
    {
      name: 'nothing is left of a forgotten person, and no later run brings any of it back',
      async run() {
        const { context, integration } = await opened()
        const content = names.find((name) => name !== 'agenda')
        if (content === undefined) return
        const values = await personalValues()
        assert.ok(
          values.length > 0,
          `no column of ${people.table} has a personal value: give the record in \`full\` texts of 4 characters or more, in columns without \`isPlain\``,
        )
        const person = { sought: { id: await itemOf(content) }, isDelivered: true }
        const forgotten = await forget(context, integration, person)
        assert.equal(forgotten?.status, 'forgotten', `\`forget\` did not find the item of ${content}`)
        await expectNothingLeft(values)
        await expectRestored()
        await expectNothingLeft(values)

        // The person's address was changed, so that only the id can show who it is.
        if (people.address === null) return
        const own = values.filter(([, value]) => value.includes('@'))
        const renamed = own.reduce(
          (text, [, value]) => text.replaceAll(value, `new-${value}`),
          JSON.stringify(records),
        )
        requireFinished(await hold(JSON.parse(renamed)))
        await expectNothingLeft(values)
      },
    },
  ]
  return {
    tests: inOrder(tests),
    async close() {
      for (const close of closers) await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function requireFinished({ status, error, held }: RunReport): void {
  assert.deepEqual({ status, error, held }, { status: 'finished', error: undefined, held: null })
}

function openSubject(
  { source, config: own, env = {} }: ContractSubject,
  url: string,
  database: Database,
  folder: string,
) {
  const type = source.name
  const content = source.transform.contents.map((one) => one.content)
  const text = JSON.stringify({
    sealingKey: 'env:KEY',
    integrations: [
      { id: `contract-${type}`, source: { ...own, type, url }, content, platform: { type: 'jsonl' } },
    ],
  })
  const environment = { env: { ...env, KEY: Buffer.alloc(32, 7).toString('base64') }, readFile: () => text }
  const sources = new Map(type in SOURCES ? [] : [[type, source]])
  const config = checkConfig(readConfig('event-sync.yaml', environment), environment, {
    sources,
    targets: new Map(),
  })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('the configuration has no integration')
  const context: Context = {
    config,
    database,
    environment: machine,
    secrets: { ...environment, configFolder: folder },
    outputFolder: folder,
    events: silent,
  }
  return { context, integration }
}
