import { randomBytes, randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { configSchema } from '../../../pipeline/config/config.ts'
import { openRunContext } from '../../../pipeline/context/open-run.ts'
import type { RunContext } from '../../../pipeline/context/run-context.ts'
import { extract } from '../../../pipeline/extract/extract.ts'
import type { Environment } from '../../../pipeline/runtime/environment.ts'
import type { RunEvent } from '../../../pipeline/runtime/events.ts'
import { makeRunId } from '../../../pipeline/runtime/run-id.ts'
import type { Reading } from '../../../pipeline/sources/contract/source.ts'
import type { Database } from '../../../sql/database.ts'
import { sourceAt, VARIABLES } from '../../harness/place.ts'
import type { SourceAData } from '../../harness/sample-source/a.ts'

/**
 * An environment whose clock moves only during sleeps, when no other work is pending. No test really waits.
 */
export interface TestEnvironment extends Environment {
  /** The durations of all sleeps so far, in milliseconds. */
  readonly sleeps: readonly number[]
}

export const TEST_START_MS = Date.UTC(2031, 4, 4, 12)

export function testEnvironment(
  random: () => number = () => 0.5,
  startMs: number = TEST_START_MS,
): TestEnvironment {
  let nowMs = startMs
  const sleeps: number[] = []
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = []

  function passTime(): void {
    sleepers.sort((a, b) => a.atMs - b.atMs)
    const next = sleepers.shift()
    if (next === undefined) return
    nowMs = Math.max(nowMs, next.atMs)
    next.wake()
    setImmediate(passTime)
  }

  return {
    sleeps,
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep(ms) {
      sleeps.push(ms)
      if (sleepers.length === 0) setImmediate(passTime)
      return new Promise((wake) => sleepers.push({ atMs: nowMs + ms, wake }))
    },
    random,
    randomBytes,
    randomInt: (limit) => randomInt(limit),
    user: 'test',
    timeZone: 'UTC',
  }
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** Makes the part of an answer that rate budgets and retries use. */
export const headOf = (status: number, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: { get: (name: string) => headers[name] ?? null },
})

/** Makes a user of Source A that has only an id. */
export const user = (Id: number | string) => ({ Id })
export const users = (count: number) => Array.from({ length: count }, (_, index) => ({ Id: index + 1 }))
export const registrants = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))

/** An event of Source A without records. */
export const NOTHING_OF_A: SourceAData = {
  Sessions: [],
  TimeSlots: [],
  Rooms: [],
  Tracks: [],
  SessionTypes: [],
  Users: [],
}
export const NOTHING_OF_B = { sessions: [], registrants: [], regTypes: [] }

export const ALL = ['agenda', 'speakers', 'attendees'] as const

type SourceOptions = Readonly<Record<string, unknown>>

export const sourceA = (url: string, more: SourceOptions = {}) => ({ ...sourceAt('a', url), ...more })
export const sourceB = (url: string, more: SourceOptions = {}) => ({ ...sourceAt('b', url), ...more })

export interface ExtractOptions {
  readonly content?: readonly (typeof ALL)[number][]
  readonly http?: Readonly<Record<string, unknown>>
  readonly environment?: Environment
  readonly onWait?: (what: string, cause: string, waitMs: number) => void
  readonly onDeclared?: (resource: string, records: number) => void
}

/**
 * Returns everything that is needed to read a source, except a database. The default of `content` is
 * attendees, because attendees need only one resource.
 */
export function contextOf(source: SourceOptions, options: ExtractOptions = {}) {
  const { content = ['attendees'], http = {}, environment = testEnvironment(), onWait, onDeclared } = options
  const integrations = [{ id: 'event', source, content, platform: { type: 'jsonl' } }]
  const config = configSchema.parse({ integrations, http })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('no integration')
  const context = {
    config,
    environment,
    secrets: { env: VARIABLES, readFile: () => '', configFolder: '/' },
    outputFolder: '/nowhere',
    events: {
      emit(_: string, event: RunEvent) {
        if (event.type === 'wait') onWait?.(event.what, event.cause, event.waitMs)
        if (event.type === 'read' && event.declared !== undefined)
          onDeclared?.(event.resource, event.declared)
      },
    },
  }
  return { context, integration }
}

/** Opens a run that reads a source, independent of other runs. */
export function openRun(database: Database, source: SourceOptions, options: ExtractOptions = {}): RunContext {
  const { context, integration } = contextOf(source, options)
  return openRunContext({ ...context, database }, integration, makeRunId(Date.now(), randomBytes(10), null))
}

/**
 * Reads one resource of the source of a run. Returns the reading, and the rows of its incoming table in the
 * order of reading.
 */
export async function extractOne(run: RunContext, freshRead = false) {
  const [reading] = await extract(run, { freshRead })
  if (reading === undefined) throw new Error('nothing was read')
  return { reading, rows: await rowsOf(run.database, reading) }
}

export async function rowsOf(database: Database, { incoming }: Reading) {
  const { rows } = await sql<{
    ordinal: string | number
    source_id: string | null
    fault_path: string | null
    fault: string | null
  }>`select ordinal, source_id, fault_path, fault from ${sql.table(incoming)} order by ordinal`.execute(
    database.kysely,
  )
  return rows.map((row) => ({ ...row, ordinal: Number(row.ordinal) }))
}

/** Returns the error of a promise that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
  throw new Error('it did not fail')
}
