import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { type OwnPlatform, openOwnPlatform, PLATFORM_TOKEN } from './platforms.ts'
import { CREDENTIALS, type ServedEvent, serveEvents } from './sources.ts'

/** Everything that workers need: sources, platforms, a database, a configuration. */
export interface Site {
  readonly config: string
  readonly variables: Readonly<Record<string, string>>
  readonly databaseUrl: string
  readonly events: readonly ServedEvent[]
  readonly integrations: readonly SiteIntegration[]
  /** One integration an event, in a database and on a platform of its own, that nobody disturbs. */
  readonly undisturbed: {
    readonly config: string
    readonly variables: Readonly<Record<string, string>>
    readonly platforms: readonly OwnPlatform[]
  }
  /** What went wrong with the surroundings. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

interface SiteIntegration {
  readonly id: string
  /** Place of its event. */
  readonly event: number
  readonly platform: OwnPlatform
}

const EVENTS = 8

/**
 * @param count of integrations
 * @param more what each says besides
 */
export async function openSite(count: number, more: Readonly<Record<string, unknown>> = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'unattended-'))
  const faults: string[] = []
  const fail = (what: string) => void faults.push(what)
  const server = await startPostgres(['-c', 'max_connections=200'])
  const events = await serveEvents(Math.min(EVENTS, count))
  const schedule = { cron: '0 */4 * * *', timeZone: 'Europe/Berlin' }

  async function makeConfig(name: string, platforms: readonly OwnPlatform[]): Promise<string> {
    const file = join(folder, `${name}.yaml`)
    const integrations = platforms.map(({ config }, place) => {
      const source = events[place % events.length]?.config
      return { id: idOf(place), source, ...config, schedule, ...more }
    })
    const text = { database: 'env:DATABASE_URL', output: `./${name}`, integrations }
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(text))
    return file
  }

  const open = (name: string, amount: number) =>
    Promise.all(
      Array.from({ length: amount }, (_, place) =>
        openOwnPlatform(join(folder, `platforms-${name}`, String(place)), fail),
      ),
    )
  const platforms = await open('own', count)
  const undisturbed = await open('undisturbed', events.length)
  const databaseUrl = await createDatabase(server.url)
  const secrets = { ...CREDENTIALS, PLATFORM_TOKEN }
  return {
    config: await makeConfig('own', platforms),
    variables: { ...secrets, DATABASE_URL: databaseUrl },
    databaseUrl,
    events,
    integrations: platforms.map((platform, place) => ({
      id: idOf(place),
      event: place % events.length,
      platform,
    })),
    undisturbed: {
      config: await makeConfig('undisturbed', undisturbed),
      variables: { ...secrets, DATABASE_URL: await createDatabase(server.url) },
      platforms: undisturbed,
    },
    faults,
    async close() {
      for (const event of events) await event.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function idOf(place: number): string {
  return `event-${String(place + 1).padStart(3, '0')}`
}
