import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { from, to } from 'pg-copy-streams'
import { withClient } from '../support/postgres.ts'
import { serverCpuSeconds, settle } from './server.ts'

/** The time that PostgreSQL's COPY takes for the staged rows, as a baseline. */
export interface CopyBaseline {
  readonly seconds: number
  /** CPU time of the server for the COPY; null if the CPU time cannot be measured. */
  readonly cpuSeconds: number | null
}

/**
 * Writes the staged registrants to a text file, and loads the file with COPY into a new logged table. The new
 * table has the same columns and indexes as the staging table. Only the COPY is measured.
 */
export async function copyStaged(databaseUrl: string, folder: string): Promise<CopyBaseline> {
  const file = join(folder, 'registrants.copy')
  try {
    await withClient(databaseUrl, async (client) => {
      await client.query('create schema baseline')
      await client.query('create table baseline.registrants (like staging.b_registrants including all)')
      await pipeline(client.query(to('copy staging.b_registrants to stdout')), createWriteStream(file))
    })
    await settle(databaseUrl)
    const before = await serverCpuSeconds(databaseUrl)
    const seconds = await withClient(databaseUrl, async (client) => {
      const started = performance.now()
      await pipeline(createReadStream(file), client.query(from('copy baseline.registrants from stdin')))
      return (performance.now() - started) / 1000
    })
    const after = await serverCpuSeconds(databaseUrl)
    return { seconds, cpuSeconds: before === null || after === null ? null : after - before }
  } finally {
    await withClient(databaseUrl, (client) => client.query('drop schema if exists baseline cascade'))
    await rm(file, { force: true })
  }
}
