import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A database as the profiles of dbt name it. */
export interface DbtConnection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly dbname: string
}

/**
 * Writes a dbt project with one model, which reads the names of sessions.
 *
 * @param sources text of sources.yml
 */
export function makeDbtProject(folder: string, sources: string, connection: DbtConnection): void {
  const output = { type: 'postgres', schema: 'models', threads: 2, ...connection }
  const files = {
    'dbt_project.yml': JSON.stringify({
      name: 'events',
      version: '1.0',
      profile: 'events',
      'model-paths': ['models'],
    }),
    'profiles.yml': JSON.stringify({ events: { target: 'test', outputs: { test: output } } }),
    'models/sources.yml': sources,
    'models/sessions.sql': "select name, local_start from {{ source('published', 'agenda') }}",
  }
  mkdirSync(join(folder, 'models'), { recursive: true })
  // JSON is YAML, too.
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
}

/** Runs a program of the virtual environment of dbt in the folder of a project. */
export async function runTool(
  program: string,
  args: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: unknown; readonly output: string }> {
  const env = {
    ...process.env,
    // dbt-ol starts the program dbt that is beside it.
    PATH: `${dirname(program)}:${process.env.PATH ?? ''}`,
    DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
    ...variables,
  }
  const child = spawn(program, args, { cwd: folder, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, output }
}
