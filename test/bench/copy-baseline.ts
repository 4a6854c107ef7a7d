import { spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { from, to } from 'pg-copy-streams'
import { serverCpuSeconds, settle, withClient } from './server.ts'

/** How long the same rows take where they are flat already. */
export interface CopyBaseline {
  readonly seconds: number
  readonly by: 'psql' | 'pg-copy-streams'
  /** Time that the server had for it; null where that cannot be known. */
  readonly cpuSeconds: number | null
}

/**
 * Writes the staged registrants into a text file, and copies that into a new logged table with the same columns and
 * indexes: by `\copy`, where psql is installed. Only the second counts.
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
    const copied = hasPsql() ? copyByPsql(databaseUrl, file) : await copyByClient(databaseUrl, file)
    const after = await serverCpuSeconds(databaseUrl)
    return { ...copied, cpuSeconds: before === null || after === null ? null : after - before }
  } finally {
    await withClient(databaseUrl, (client) => client.query('drop schema if exists baseline cascade'))
    await rm(file, { force: true })
  }
}

function hasPsql(): boolean {
  return spawnSync('psql', ['--version']).status === 0
}

function copyByPsql(databaseUrl: string, file: string): Omit<CopyBaseline, 'cpuSeconds'> {
  const commands = ['\\timing on', `\\copy baseline.registrants from '${file}'`]
  const args = ['-X', '-v', 'ON_ERROR_STOP=1', ...commands.flatMap((command) => ['-c', command]), databaseUrl]
  const { status, stdout, stderr } = spawnSync('psql', args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const [, ms] = /^Time: ([\d.]+) ms/m.exec(stdout) ?? []
  if (status !== 0 || ms === undefined) throw new Error(`psql ended with ${status}: ${stderr}${stdout}`)
  return { seconds: Number(ms) / 1000, by: 'psql' }
}

async function copyByClient(databaseUrl: string, file: string): Promise<Omit<CopyBaseline, 'cpuSeconds'>> {
  return withClient(databaseUrl, async (client) => {
    const started = performance.now()
    await pipeline(createReadStream(file), client.query(from('copy baseline.registrants from stdin')))
    return { seconds: (performance.now() - started) / 1000, by: 'pg-copy-streams' }
  })
}
