import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DBT_OL } from '../../proofs/tools/tools.ts'
import { makeDbtProject, runTool } from '../commands/dbt-project.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../commands/small-event.ts'
import { makeWorkspace } from '../commands/workspace.ts'

const isMissing = spawnSync(DBT_OL, ['--version']).error !== undefined

interface Event {
  readonly run: { readonly facets: { readonly parent?: { readonly root?: unknown } } }
  readonly job: { readonly name: string }
  readonly inputs?: readonly Dataset[]
  readonly outputs?: readonly Dataset[]
}
interface Dataset {
  readonly namespace: string
  readonly name: string
}

describe.skipIf(isMissing)('dbt-ol (skipped without openlineage-dbt)', () => {
  test('a view that a run writes is the dataset that dbt reads, and both have the same first run', async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace('postgres')
    workspace.configure({
      integrations: [integrationOfA('summit', source.url)],
      lineage: { to: './lineage.jsonl' },
    })
    const parent = { OPENLINEAGE_PARENT_ID: 'airflow/nightly/01a1fda0-7c5e-4d41-9b3f-2f6a1c0d8e77' }
    Object.assign(workspace.env, parent)
    expect((await workspace.run('run')).code).toBe(0)

    const folder = join(workspace.folder, 'dbt')
    const { hostname, port, username, password, pathname } = new URL(workspace.env.DATABASE_URL ?? '')
    const connection = {
      host: hostname,
      port: Number(port),
      user: username,
      password,
      dbname: pathname.slice(1),
    }
    makeDbtProject(folder, (await workspace.run('dbt-sources')).stdout, connection)
    const { code, output } = await runTool(
      DBT_OL,
      ['run', '--project-dir', '.', '--profiles-dir', '.'],
      folder,
      {
        ...parent,
        OPENLINEAGE__TRANSPORT__TYPE: 'file',
        OPENLINEAGE__TRANSPORT__LOG_FILE_PATH: join(folder, 'dbt.jsonl'),
        OPENLINEAGE__TRANSPORT__APPEND: 'true',
      },
    )
    expect(code, output.slice(-3000)).toBe(0)

    const eventsIn = (...path: readonly string[]): readonly Event[] =>
      workspace
        .read(...path)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const keyOf = ({ namespace, name }: Dataset) => `${namespace} ${name}`
    const written = eventsIn('lineage.jsonl').flatMap(({ outputs = [] }) => outputs.map(keyOf))
    const read = eventsIn('dbt', 'dbt.jsonl').flatMap(({ inputs = [] }) => inputs.map(keyOf))
    const agenda = `postgres://${hostname}:${port} ${connection.dbname}.published.agenda`
    expect(read).toContain(agenda)
    expect(written).toContain(agenda)
    expect(written.filter((key) => key.includes('@'))).toEqual([])

    const rootsIn = (events: readonly Event[]) =>
      new Set(events.map(({ run }) => JSON.stringify(Reflect.get(Object(run.facets.parent?.root), 'run'))))
    const root = JSON.stringify({ runId: '01a1fda0-7c5e-4d41-9b3f-2f6a1c0d8e77' })
    expect([...rootsIn(eventsIn('lineage.jsonl'))]).toEqual([root])
    expect([...rootsIn(eventsIn('dbt', 'dbt.jsonl'))]).toEqual([root])
  })
})
