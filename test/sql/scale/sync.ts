import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withContext } from '../../../pipeline/commands/session.ts'
import { silentProgress } from '../../../pipeline/progress.ts'
import { runIntegration } from '../../../pipeline/run.ts'

/** The integration that is synced; the others are copies of it. */
export const LARGE = 'large'

/** Where a run reads from, and what it writes to. */
export interface Place {
  readonly folder: string
  readonly databaseUrl: string
  readonly sourceUrl: string
}

/**
 * Syncs all registrants of the source as `event-sync run` does.
 *
 * @returns seconds by step
 */
export async function sync({
  folder,
  databaseUrl,
  sourceUrl,
}: Place): Promise<Readonly<Record<string, number>>> {
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'event-sync.yaml')
  const source = {
    type: 'b',
    url: sourceUrl,
    eventId: '1',
    apiKey: 'env:KEY',
    authenticationSecret: 'env:KEY',
    timeZone: 'UTC',
  }
  const integration = { id: LARGE, source, content: ['speakers', 'attendees'], platform: { type: 'jsonl' } }
  writeFileSync(config, JSON.stringify({ database: 'env:DATABASE_URL', integrations: [integration] }))
  const seconds: Record<string, number> = {}
  let [step, since] = ['start', performance.now()]
  const next = (name: string) => {
    seconds[step] = (performance.now() - since) / 1000
    step = name
    since = performance.now()
  }
  await withContext(
    { config },
    async (context) => {
      const [loaded] = context.config.integrations
      if (loaded === undefined) throw new Error('the configuration has no integration')
      const options = { command: 'run', rebind: false, fresh: false } as const
      const [report] = await runIntegration(context, loaded, options)
      next('end')
      if (report?.status !== 'finished') throw new Error(report?.error ?? `the run is ${report?.status}`)
    },
    { KEY: 'k', DATABASE_URL: databaseUrl },
    { ...silentProgress, step: (_, name) => next(name) },
  )
  return seconds
}
