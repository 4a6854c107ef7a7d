import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { configSchema } from '../../../pipeline/config.ts'
import type { Environment } from '../../../pipeline/environment.ts'
import type { Reading } from '../../../pipeline/extract/certificate.ts'
import { extract } from '../../../pipeline/extract/extract.ts'
import type { Wait } from '../../../pipeline/observe/told.ts'
import { openRunContext } from '../../../pipeline/open-run.ts'
import { silentProgress } from '../../../pipeline/progress.ts'
import type { RunContext } from '../../../pipeline/run-context.ts'
import { makeRunId } from '../../../pipeline/run-id.ts'
import type { Database } from '../../../sql/database.ts'

/** A clock that moves only when somebody sleeps and nothing else is to be done, so that no test waits. */
export interface TestEnvironment extends Environment {
  /** Every sleep so far, in milliseconds. */
  readonly sleeps: readonly number[]
}

export function testEnvironment(random: () => number = () => 0.5): TestEnvironment {
  let nowMs = Date.UTC(2031, 4, 4, 12)
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
    sleep(ms) {
      sleeps.push(ms)
      if (sleepers.length === 0) setImmediate(passTime)
      return new Promise((wake) => sleepers.push({ atMs: nowMs + ms, wake }))
    },
    random,
    randomBytes,
    randomInt: (limit) => randomInt(limit),
    user: 'test',
  }
}

/** A server on loopback that answers as a test says. */
export interface TestServer {
  readonly url: string
  /** Path and query of every request so far. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** @param answer gets the number of the request too, from 1 */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
): Promise<TestServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response, requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
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

export interface ExtractOptions {
  readonly content?: readonly ('agenda' | 'speakers' | 'attendees')[]
  readonly http?: Readonly<Record<string, number>>
  readonly environment?: Environment
  readonly onWait?: (what: string, cause: string, waitMs: number) => void
}

/** A run of its own over a source; `content` defaults to attendees, which need one resource only. */
export function openRun(
  database: Database,
  source: Readonly<Record<string, unknown>>,
  options: ExtractOptions = {},
): RunContext {
  const config = configSchema.parse({
    integrations: [
      { id: 'event', source, content: options.content ?? ['attendees'], platform: { type: 'jsonl' } },
    ],
    ...(options.http === undefined ? {} : { http: options.http }),
  })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('no integration')
  const environment = options.environment ?? testEnvironment()
  const context = {
    config,
    database,
    environment,
    secrets: {
      env: { API_KEY: 'sample key/1', AUTHENTICATION_SECRET: 'sample:secret+%2F' },
      readFile: () => '',
      configFolder: '/',
    },
    outputFolder: '/nowhere',
    progress: {
      ...silentProgress,
      wait: (_: string, { what, cause, waitMs }: Wait) => options.onWait?.(what, cause, waitMs),
    },
  }
  return openRunContext(context, integration, makeRunId(Date.now(), randomBytes(10), null))
}

export interface IncomingRecord {
  readonly ordinal: number
  readonly source_id: string | null
  readonly fault_path: string | null
  readonly fault: string | null
}

/** What the incoming table of a reading holds, in the order of reading. */
export async function rowsOf(database: Database, reading: Reading): Promise<IncomingRecord[]> {
  const { rows } = await sql<IncomingRecord & { ordinal: string | number }>`
    select ordinal, source_id, fault_path, fault from ${sql.table(reading.incoming)} order by ordinal`.execute(
    database.kysely,
  )
  return rows.map((row) => ({ ...row, ordinal: Number(row.ordinal) }))
}

/** Reads the one resource that attendees need, and what the database holds of it afterwards. */
export async function readAttendees(
  database: Database,
  source: Readonly<Record<string, unknown>>,
  options: ExtractOptions = {},
): Promise<{ readonly reading: Reading; readonly ids: readonly (string | null)[] }> {
  const [reading] = await extract(openRun(database, source, options))
  if (reading === undefined) throw new Error('nothing was read')
  const rows = await rowsOf(database, reading)
  const ordinals = rows.map(({ ordinal }) => ordinal)
  if (ordinals.some((ordinal, index) => ordinal !== index + 1))
    throw new Error(`ordinals with gaps: ${ordinals}`)
  if (rows.length !== reading.totals.elements)
    throw new Error(`${rows.length} rows, ${reading.totals.elements} counted`)
  return { reading, ids: rows.map((row) => row.source_id) }
}

/** The failure of a promise that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
  throw new Error('it did not fail')
}
