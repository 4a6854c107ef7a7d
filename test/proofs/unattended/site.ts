import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VARIABLES } from '../../harness/place.ts'
import { type ServedEvent, serveEvent, smallEvents } from '../../harness/sample-events.ts'
import { type SamplePlatform, startSamplePlatform } from '../../harness/sample-platform/start.ts'
import { createDatabase, startPostgres } from '../../support/postgres.ts'

/** Integrations in one database, each with its own platform. */
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

/** Everything that workers need, and an undisturbed site with one integration per event. */
export interface Sites extends Site {
  readonly events: readonly ServedEvent[]
  readonly undisturbed: Site
  close(): Promise<void>
}

const EVENTS = 8
/**
 * Several pages for each resource, and slow enough that workers die in the middle of them. The budget of
 * requests is reported and shared, but large enough that no run waits ten minutes for the next one.
 */
const PAGES = { pageCap: 12, latencyMs: 15, creditsPerTenMinutes: 1_000_000 }

/**
 * @param count number of integrations
 * @param more further keys of each integration
 */
export async function openSite(count: number, more: Readonly<Record<string, unknown>> = {}): Promise<Sites> {
  const folder = mkdtempSync(join(tmpdir(), 'unattended-'))
  const server = await startPostgres(['-c', 'max_connections=200'])
  const events = await Promise.all(
    Array.from({ length: Math.min(EVENTS, count) }, (_, place) => serve(place)),
  )
  const schedule = { cron: '0 */4 * * *', timeZone: 'Europe/Berlin' }

  async function open(name: string, amount: number): Promise<Site> {
    const databaseUrl = await createDatabase(server.url)
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
    ...(await open('own', count)),
    undisturbed: await open('undisturbed', events.length),
    events,
    async close() {
      for (const event of events) await event.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Serves a small event, alternately as Source A and as Source B; several integrations read it. */
function serve(place: number): Promise<ServedEvent> {
  return serveEvent(place % 2 === 0 ? 'a' : 'b', smallEvents(place), PAGES)
}
