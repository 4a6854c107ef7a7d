import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Which of these processes of the server wait for their client, to read from it or to write to it. */
const waitingForClient = `
select pid, state
from pg_stat_activity
where pid = any($1)
  and wait_event_type = 'Client'`

/** Connections are looked at this often. */
const LOOK_EVERY_MS = 2_000
/** The server is asked about a connection that owes an answer and has moved no byte for so long. */
const ASK_AFTER_MS = 10_000
/** A server that does not answer for so long is silent; so is a connection that moves no byte while the server waits for us on it. */
const SILENT_MS = 30_000

const SILENT = `the database has not answered for ${SILENT_MS / 1000} s; check whether the network or a firewall drops its connections`

export class SilentError extends Error {
  override readonly name = 'SilentError'
}

/** @throws SilentError where it takes longer */
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
  /** Bytes that were sent when the last answer was there: what is more than that is owed one. */
  answered: number
  /** Into which rows of a COPY are written; null while there is none. */
  copy: Writable | null
}

/**
 * Ends connections on which an answer will never come. A query may take hours; but where the server says that it waits
 * for us, and we wait for it, what was sent on the connection is lost. And where the server cannot even be asked, all
 * connections are ended.
 *
 * Not seen: a server that is stuck itself, which says that it works; and every fault while the server takes no more
 * connections, since it cannot be asked then.
 *
 * @param config settings of the connection by which the server is asked
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

  /** Connections that owe an answer and have moved no byte for so long. */
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
    // Connecting costs the server a process: where it works for hours, it is asked now and then.
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
        // A server that refuses is not silent, and the next statement reports what else is wrong.
        if (error instanceof SilentError) breakOff(watched.keys(), error.message)
      })
      .finally(() => {
        isAsking = false
      })
  }, LOOK_EVERY_MS)
  looking.unref()

  return {
    /** Why connections were ended, unless there is a new one since. */
    get silence() {
      return silence
    },
    /** Watches a connection from the moment that it is there. */
    add(client: pg.Client): void {
      // The pool has no listener for one that is in use, and without one the process would end.
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
    /** Knows that a client sends rows of a COPY, for which the server waits. */
    copies(client: pg.Client, copy: Writable): void {
      const one = watched.get(client)
      if (one !== undefined) one.copy = copy
    },
    breakAll: (why: string) => breakOff(watched.keys(), why),
    stop: () => clearInterval(looking),
  }
}

/** @returns the states of processes that wait for their client, as `pg_stat_activity` calls it */
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

/** Returns whether it is in the middle of a COPY, for whose rows the server waits, and has sent all that it has of them. */
function isSending(client: pg.Client, { copy }: Watched): boolean {
  return copy?.writable === true && streamOf(client).writableLength === 0
}

function streamOf({ connection }: pg.Client): Socket {
  if (connection.stream instanceof Socket) return connection.stream
  throw new Error('the driver has no socket')
}
