import type pg from 'pg'

/** How many connections of a pool may do work at the same time, besides the connections that hold locks. */
export interface SeatCounts {
  /** Connections for statements and transactions. Each run needs one during its longest transaction. */
  readonly queries: number
  /** Connections for COPY statements that stay open while their rows are read from a source. */
  readonly copies: number
}

/** Number of COPY statements of a command that executes one run at a time. */
const COPIES_OF_ONE_RUN = 5
/** Number of runs that share one connection for COPY statements, if there are many runs. */
const RUNS_PER_COPY = 4

/**
 * Returns the connections for a number of runs at the same time. Eight runs use at most 18 connections, of
 * which eight hold locks. A small run alone uses three, because its rows fit into one batch per page.
 */
export function seatsFor(runs: number): SeatCounts {
  const copies = Math.max(COPIES_OF_ONE_RUN + 1 - runs, Math.ceil(runs / RUNS_PER_COPY), 2)
  return { queries: Math.max(2, runs), copies }
}

/** Connects to the database as soon as there is a seat. The seat is free again when the client is released. */
export type Connect = (onWanted?: () => void) => Promise<pg.PoolClient>

/**
 * Limits how many connections of a pool are in use at the same time. The limit of the pool itself would also
 * count connections that hold locks. Runs would then wait for each other forever: each for a connection, while
 * it holds one with its lock.
 *
 * @returns a function whose argument `onWanted` is called if others wait for a seat. It is called again each
 *   time that another one begins to wait
 */
export function seated(pool: pg.Pool, count: number): Connect {
  const holders = new Set<() => void>()
  const waiting: (() => void)[] = []
  let free = count

  async function sit(onWanted: () => void): Promise<() => void> {
    if (free > 0) free -= 1
    else {
      const turn = Promise.withResolvers<void>()
      waiting.push(turn.resolve)
      for (const tell of holders) tell()
      await turn.promise
    }
    const tell = () => onWanted()
    holders.add(tell)
    if (waiting.length > 0) tell()
    return () => {
      holders.delete(tell)
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }

  return async (onWanted = () => undefined) => {
    const leave = await sit(onWanted)
    try {
      const client = await pool.connect()
      const release = client.release.bind(client)
      client.release = (isBroken) => {
        release(isBroken)
        leave()
      }
      return client
    } catch (error) {
      leave()
      throw error
    }
  }
}
