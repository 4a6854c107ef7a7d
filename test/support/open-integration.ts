import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { machine } from '../../pipeline/commands/session.ts'
import { type IntegrationConfig, loadConfig } from '../../pipeline/config.ts'
import type { Progress } from '../../pipeline/observe/told.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import type { RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Context } from '../../pipeline/run-context.ts'
import type { Database } from '../../sql/database.ts'

/** An integration as event-sync.yaml has it, and what it works with. */
export interface Opening {
  readonly database: Database
  readonly folder: string
  /** As in the file; secrets are variables of `env`. */
  readonly integration: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly progress?: Partial<Progress>
}

/** Opens it as a command does, packs in the folder's `out`. */
export function openIntegration({ database, folder, integration, ...rest }: Opening): {
  readonly context: Context
  readonly integration: IntegrationConfig
} {
  const env = { ...rest.env, KEY: Buffer.alloc(32, 7).toString('base64') }
  const text = JSON.stringify({ sealingKey: 'env:KEY', integrations: [integration] })
  const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
  const [checked] = config.integrations
  if (checked === undefined) throw new Error('the configuration has no integration')
  const context = {
    config,
    database,
    environment: machine,
    secrets: { env, readFile: (path: string) => readFileSync(path, 'utf8'), configFolder: folder },
    outputFolder: join(folder, 'out'),
    progress: { ...silentProgress, ...rest.progress },
  }
  return { context, integration: checked }
}

/** Runs it as `event-sync run` does, and tells how that ended. */
export async function runOpened(opening: Opening, rebind = false): Promise<RunReport> {
  const { context, integration } = openIntegration(opening)
  const options = { command: 'run', rebind, fresh: false } as const
  const report = (await runIntegration(context, integration, options)).at(-1)
  if (report === undefined) throw new Error('nothing was run')
  return report
}
