import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Finds server processes that wait for their client, to read from it or to write to it. */
const waitingForClient = `
select pid, state
from pg_stat_activity
where pid = any($1)
  and wait_event_type = 'Client'`

/** Connections are checked this often. */
const LOOK_EVERY_MS = 2_000
/** If a connection owes an answer and has moved no byte for this time, the server is asked about it. */
const ASK_AFTER_MS = 10_000
/**
 * A server counts as silent if it does not answer for this time. A connection counts as silent if it moves no
 * byte for this time while the server waits for its client.
 */
const SILENT_MS = 30_000

const SILENT = `the database has not answered for ${SILENT_MS / 1000} s; check whether the network or a firewall drops its connections`

export class SilentError extends Error {
  override readonly name = 'SilentError'
}

/** Waits for work with a time limit. @throws SilentError if the work takes longer */
export async function within<Result>(ms: number, work: Promise<Result>, message = SILENT): Promise<Result> {
  const over = new AbortController()
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new SilentError(message)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    over.abort()
    late.catch(() => undefined)
  }
}

interface Watched {
  /** Process of the server; null until it is known. */
  pid: number | null
  bytes: number
  movedAtMs: number
  /** Number of sent bytes at the time of the last answer. If more bytes were sent, an answer is due. */
  answered: number
  /** Stream for the rows of a COPY; null if there is none. */
  copy: Writable | null
}

/**
 * Ends connections that will never get an answer. A query may take hours. But if the server says that it
 * waits for this client while this client waits for the server, then sent data was lost. If the server cannot
 * be asked at all, all connections are ended.
 *
 * Two cases are not detected: a server that is stuck itself, because it says that it works, and any fault
 * while the server accepts no new connections, because it cannot be asked.
 *
 * @param config settings of the connection on which the server is asked
 */
export function watchForSilence(config: pg.ClientConfig) {
  const watched = new Map<pg.Client, Watched>()
  let silence: string | null = null
  let isAsking = false
  let askedAtMs = Number.NEGATIVE_INFINITY

  function breakOff(clients: Iterable<pg.Client>, why: string): void {
    silence = why
    for (const client of clients) streamOf(client).destroy(new Error(why))
  }

  /** Returns connections that owe an answer and have moved no byte for this time. */
  function stuckFor(ms: number): ReadonlyMap<pg.Client, Watched> {
    const nowMs = performance.now()
    for (const [client, one] of watched) {
      const { bytesRead, bytesWritten } = streamOf(client)
      const bytes = bytesRead + bytesWritten
      if (bytes === one.bytes && bytesWritten > one.answered) continue
      one.bytes = bytes
      one.movedAtMs = nowMs
    }
    return new Map([...watched].filter(([, { movedAtMs }]) => nowMs - movedAtMs >= ms))
  }

  async function look(): Promise<void> {
    const asked = stuckFor(ASK_AFTER_MS)
    // Each connection costs the server a process. During a query of hours the server is asked only from time
    // to time.
    if (asked.size === 0 || performance.now() - askedAtMs < ASK_AFTER_MS) return
    askedAtMs = performance.now()
    const pids = [...asked.values()].flatMap(({ pid }) => pid ?? [])
    const waiting = await askServer(config, pids)
    const silent = [...stuckFor(SILENT_MS)].filter(([client, one]) => {
      const state = one.pid === null ? 'idle' : waiting.get(one.pid)
      return asked.has(client) && state !== undefined && (state !== 'active' || !isSending(client, one))
    })
    if (silent.length > 0)
      breakOff(
        silent.map(([client]) => client),
        SILENT,
      )
  }

  const looking = setInterval(() => {
    if (isAsking) return
    isAsking = true
    look()
      .catch((error: unknown) => {
        // A server that refuses is not silent. The next statement reports other faults.
        if (error instanceof SilentError) breakOff(watched.keys(), error.message)
      })
      .finally(() => {
        isAsking = false
      })
  }, LOOK_EVERY_MS)
  looking.unref()

  return {
    /** Returns the reason why connections were ended; null after a new connection. */
    get silence() {
      return silence
    },
    /** Watches a connection after it is made. */
    add(client: pg.Client): void {
      // The pool has no error listener for a connection in use. Without a listener an error would end the
      // process.
      client.on('error', () => undefined)
      client.once('connect', () => {
        silence = null
        watched.set(client, { pid: null, bytes: 0, movedAtMs: performance.now(), answered: 0, copy: null })
      })
      client.on('drain', () => {
        const one = watched.get(client)
        if (one !== undefined) one.answered = streamOf(client).bytesWritten
      })
      client.once('end', () => watched.delete(client))
    },
    know(client: pg.ClientBase, pid: number | undefined): void {
      const one = watched.get(client as pg.Client)
      if (one !== undefined) one.pid = pid ?? null
    },
    /** Records that a client sends rows of a COPY, so that the server waits for it. */
    copies(client: pg.Client, copy: Writable): void {
      const one = watched.get(client)
      if (one !== undefined) one.copy = copy
    },
    breakAll: (why: string) => breakOff(watched.keys(), why),
    stop: () => clearInterval(looking),
  }
}

/**
 * Asks the server about processes.
 *
 * @returns `state` of `pg_stat_activity` for those that wait for their client
 */
async function askServer(
  config: pg.ClientConfig,
  pids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  try {
    return await within(
      SILENT_MS,
      client.connect().then(async () => {
        const { rows } = await client.query<{ pid: number; state: string }>(waitingForClient, [pids])
        await client.end()
        return new Map(rows.map(({ pid, state }) => [pid, state]))
      }),
    )
  } finally {
    streamOf(client).destroy()
  }
}

/**
 * Returns true if the client is within a COPY, so that the server waits for rows, and has sent all rows so
 * far.
 */
function isSending(client: pg.Client, { copy }: Watched): boolean {
  return copy?.writable === true && streamOf(client).writableLength === 0
}

function streamOf({ connection }: pg.Client): Socket {
  if (connection.stream instanceof Socket) return connection.stream
  throw new Error('the driver has no socket')
}
