/** Measures how long a database takes to answer the shipped queries, the views and the commands that only read. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { limitedTo } from '../sql/one-integration.ts'
import { withClient } from '../support/postgres.ts'
import { succeeded } from './logged-run.ts'
import type { Place } from './place.ts'
import { serverCpuSeconds, withServerTime } from './server.ts'

const QUERIES = join(import.meta.dirname, '..', '..', 'sql', 'queries')
/** An answer that takes longer than this is shown with its name. */
const NOTABLE_SECONDS = 0.1

/**
 * Asks each shipped query and each view about one integration, and runs commands that only read. The CPU time of
 * a new connection is subtracted.
 *
 * @param place all integrations of the database are configured there
 * @returns CPU seconds of the server for the slowest answer, and for each answer that takes long
 */
export async function measureAnswers(
  databaseUrl: string,
  place: Place,
  integrationId: string,
): Promise<Readonly<Record<string, number>>> {
  const spent = async (work: () => Promise<unknown>) => {
    const before = await serverCpuSeconds(databaseUrl)
    await work()
    return ((await serverCpuSeconds(databaseUrl)) ?? Number.NaN) - (before ?? Number.NaN)
  }
  const ask = (query: string) => spent(() => withClient(databaseUrl, (client) => client.query(query)))
  const idle = await ask('select')
  const seconds: Record<string, number> = {}
  for (const file of readdirSync(QUERIES).filter((name) => name.endsWith('.sql'))) {
    const query = readFileSync(join(QUERIES, file), 'utf8')
    seconds[file] = (await ask(limitedTo(query, integrationId))) - idle
  }
  for (const view of await viewsIn(databaseUrl))
    seconds[view] = (await ask(`select from ${view} where integration_id = '${integrationId}'`)) - idle
  const ofAll = [['runs'], ['runs', '--failed']]
  for (const args of [...ofAll, ...['status', 'runs', 'log'].map((name) => [name, integrationId])]) {
    const { server } = await withServerTime(databaseUrl, async () =>
      succeeded(args.join(' '), await place.command(...args)),
    )
    seconds[args.join(' ')] = (server.serverCpuSeconds ?? Number.NaN) - idle
  }
  const notable = Object.entries(seconds).filter(([, taken]) => taken > NOTABLE_SECONDS)
  return { slowestSeconds: Math.max(...Object.values(seconds)), ...Object.fromEntries(notable) }
}

async function viewsIn(databaseUrl: string): Promise<readonly string[]> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select 'published.' || quote_ident(viewname) as name from pg_views where schemaname = 'published'",
    )
    return rows.map(({ name }) => name)
  })
}
