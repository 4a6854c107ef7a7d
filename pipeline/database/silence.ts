import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Selects server processes that wait until their client sends or receives data. */
const waitingForClient = `
select pid, state
from pg_stat_activity
where pid = any($1)
  and wait_event_type = 'Client'`

/** Interval at which the connections are checked. */
const LOOK_EVERY_MS = 2_000
/**
 * If a query is unanswered and its connection has transferred no byte for this time, the server is asked
 * about the connection.
 */
const ASK_AFTER_MS = 10_000
/**
 * A server that does not answer for this time is treated as silent. A connection that transfers no byte for
 * this time is also treated as silent if the server says that it waits for its client.
 */
const SILENT_MS = 30_000

const SILENT = `the database has not answered for ${SILENT_MS / 1000} s; check whether the network or a firewall drops its connections`

export class SilentError extends Error {
  override readonly name = 'SilentError'
}

/** Waits for work, but not longer than the time limit. @throws SilentError if the work takes longer */
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
  /** Process id on the server; null until the id is known. */
  pid: number | null
  bytes: number
  movedAtMs: number
  /**
   * Number of bytes that had been sent when the last answer came. If more bytes have been sent since, an
   * answer is due.
   */
  answered: number
  /** Stream for the rows of a COPY statement; null if no COPY runs. */
  copy: Writable | null
}

/**
 * Closes connections on which an answer will never come. A long wait alone proves nothing, because a query
 * may take hours. Data was lost if the server says that it waits for this client while this client waits for
 * the server. A connection on which data was lost is closed. If the server does not answer at all, all
 * connections are closed.
 *
 * Two faults are not detected. A server that hangs reports that it works. A server that accepts no new
 * connections cannot be asked.
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

  /** Returns connections on which an answer is due and which have transferred no byte for this time. */
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
    // Asking needs a connection, for which the server starts a process. During a query of hours, the server
    // is therefore asked only from time to time.
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
        // If the server refuses the connection, it is not silent. The next statement reports any other fault.
        if (error instanceof SilentError) breakOff(watched.keys(), error.message)
      })
      .finally(() => {
        isAsking = false
      })
  }, LOOK_EVERY_MS)
  looking.unref()

  return {
    /** Reason why connections were closed; null again after a new connection. */
    get silence() {
      return silence
    },
    /**
     * Begins to watch a new connection. A limit of the pool would also include the wait for a free connection,
     * and without a limit, the operating system waits for minutes if a firewall drops packets.
     */
    add(client: pg.Client): void {
      const tooLate = setTimeout(() => streamOf(client).destroy(new Error(SILENT)), SILENT_MS).unref()
      // The pool has no error listener for a connection that is in use. If an error event has no listener, it
      // ends the process.
      client.on('error', () => undefined)
      client.once('connect', () => {
        clearTimeout(tooLate)
        silence = null
        watched.set(client, { pid: null, bytes: 0, movedAtMs: performance.now(), answered: 0, copy: null })
      })
      client.on('drain', () => {
        const one = watched.get(client)
        if (one !== undefined) one.answered = streamOf(client).bytesWritten
      })
      client.once('end', () => {
        clearTimeout(tooLate)
        watched.delete(client)
      })
    },
    know(client: pg.ClientBase, pid: number | undefined): void {
      const one = watched.get(client as pg.Client)
      if (one !== undefined) one.pid = pid ?? null
    },
    /**
     * Records that a client is sending rows of a COPY. The server then waits for the client, which is normal.
     */
    copies(client: pg.Client, copy: Writable): void {
      const one = watched.get(client)
      if (one !== undefined) one.copy = copy
    },
    breakAll: (why: string) => breakOff(watched.keys(), why),
    stop: () => clearInterval(looking),
  }
}

/**
 * Asks the server about some of its processes.
 *
 * @returns the processes that wait for their client, each with its `state` from `pg_stat_activity`
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
 * Returns true if the client is in the middle of a COPY and all rows so far have been sent. The server then
 * waits for further rows.
 */
function isSending(client: pg.Client, { copy }: Watched): boolean {
  return copy?.writable === true && streamOf(client).writableLength === 0
}

function streamOf({ connection }: pg.Client): Socket {
  if (connection.stream instanceof Socket) return connection.stream
  throw new Error('the driver has no socket')
}
