import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VARIABLES } from '../../harness/place.ts'
import { type ServedEvent, serveEvent, smallEvents } from '../../harness/sample-events.ts'
import { type SamplePlatform, startSamplePlatform } from '../../harness/sample-platform/start.ts'
import { createDatabase, startPostgres } from '../../support/postgres.ts'

/** A site: several integrations in one database, each with a platform of its own. */
export interface Site {
  readonly config: string
  readonly variables: Readonly<Record<string, string>>
  readonly databaseUrl: string
  readonly integrations: readonly SiteIntegration[]
}

interface SiteIntegration {
  readonly id: string
  /** Index of its event. */
  readonly event: number
  readonly platform: SamplePlatform
}

/**
 * The site for the workers, and a second site for comparison, which has one integration per event and no
 * kills.
 */
export interface Sites extends Site {
  readonly events: readonly ServedEvent[]
  readonly undisturbed: Site
  close(): Promise<void>
}

const EVENTS = 8
/**
 * Settings for the pages of a source. Each resource has several pages, which are so slow that workers die
 * between pages. The source reports its rate limit, which all runs share. The limit is so high that no run
 * waits ten minutes.
 */
const PAGES = { pageCap: 12, latencyMs: 15, creditsPerTenMinutes: 1_000_000 }

/**
 * @param count number of integrations
 * @param more further configuration keys of each integration
 * @param givenUrl database of the site; left out: one on a new server
 */
export async function openSite(
  count: number,
  more: Readonly<Record<string, unknown>> = {},
  givenUrl?: string,
): Promise<Sites> {
  const folder = mkdtempSync(join(tmpdir(), 'unattended-'))
  const server = await startPostgres(['-c', 'max_connections=200'])
  const events = await Promise.all(
    Array.from({ length: Math.min(EVENTS, count) }, (_, place) => serve(place)),
  )
  const schedule = { cron: '0 */4 * * *', timeZone: 'Europe/Berlin' }

  async function open(name: string, amount: number, databaseUrl: string): Promise<Site> {
    const integrations = await Promise.all(
      Array.from({ length: amount }, async (_, place) => ({
        id: `event-${String(place + 1).padStart(3, '0')}`,
        event: place % events.length,
        platform: await startSamplePlatform({
          storage: join(folder, `platforms-${name}`, String(place)),
          pageSize: 1000,
        }),
      })),
    )
    const config = join(folder, `${name}.yaml`)
    const configured = integrations.map(({ id, event, platform }) => {
      const source = events[event]?.config
      return { id, source, platform: platform.config(8), passwords: { mode: 'none' }, schedule, ...more }
    })
    const text = { database: 'env:DATABASE_URL', output: `./${name}`, integrations: configured }
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(text))
    const variables = { ...VARIABLES, ...integrations[0]?.platform.env, DATABASE_URL: databaseUrl }
    return { config, variables, databaseUrl, integrations }
  }

  return {
    ...(await open('own', count, givenUrl ?? (await createDatabase(server.url)))),
    undisturbed: await open('undisturbed', events.length, await createDatabase(server.url)),
    events,
    async close() {
      for (const event of events) await event.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Serves a small event, which several integrations read. Events are served alternately as Source A and as
 * Source B.
 */
function serve(place: number): Promise<ServedEvent> {
  return serveEvent(place % 2 === 0 ? 'a' : 'b', smallEvents(place), PAGES)
}
