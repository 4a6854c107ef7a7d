import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { SEALING_KEY } from '../harness/place.ts'
import { CLI, start } from '../pipeline/commands/command-line.ts'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { integrationOfA } from '../pipeline/commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../pipeline/commands/workspace.ts'
import { startReceiver } from '../pipeline/observe/receiver.ts'
import { engines } from '../support/engines.ts'
import { beforeOfA } from './people.ts'
import { holdsPerson, searchFiles, searchRows, searchStatistics } from './search.ts'

/** Timeout of the test: enough for a dozen commands and two workers on a busy machine. */
const MANY_PROCESSES_MS = 400_000
const RUN_LOG = ['--log-level', 'debug']
const ADDRESS = 'New@zyxomma.example'

/** All output of the commands. */
const told: string[] = []
afterEach(() => void told.splice(0))

async function run(workspace: Workspace, args: readonly string[], input = ''): Promise<number | null> {
  const { folder, env } = workspace
  const { code, stdout, stderr } = await start(process.execPath, [CLI, ...RUN_LOG, ...args], {
    folder,
    env,
    input,
  }).ended
  told.push(stdout, stderr)
  return code
}

/** Runs a worker until it prints a text, then stops it. */
async function work(workspace: Workspace, until: string): Promise<void> {
  const worker = workspace.start(...RUN_LOG, 'worker')
  await worker.seen(until)
  worker.kill('SIGTERM')
  const { code, stdout, stderr } = await worker.ended
  told.push(stdout, stderr)
  expect(code).toBe(143)
}

/**
 * Returns the tables whose rows contain the person, the tables whose statistics contain the person, and the
 * row counts of `tables`.
 */
async function look(workspace: Workspace, ...tables: readonly string[]) {
  const url = workspace.env.DATABASE_URL
  const directory = join(workspace.folder, '.event-sync', 'db')
  const database = url === undefined ? await openPGlite(directory) : await openPostgres(url)
  const found = { rows: await searchRows(database), statistics: await searchStatistics(database) }
  const counts: number[] = []
  for (const table of tables) {
    counts.push((await database.executeSql(`select 1 from ${table}`)).rows.length)
  }
  await database.close()
  return { ...found, counts }
}

describe.each(engines)('on %s', (engine) => {
  test(
    'no queue, no log and no message about failed or held runs contains the person',
    async () => {
      const source = await startScriptedSource(beforeOfA[0] ?? {})
      const receiver = await startReceiver()
      const workspace = await makeWorkspace(engine)
      workspace.env.KEY = SEALING_KEY
      workspace.configure({
        sealingKey: 'env:KEY',
        http: { retryBudgetSeconds: 0 },
        webhook: { url: receiver.url, on: ['held', 'failed', 'incomplete', 'finished'], timeoutSeconds: 1 },
        lineage: { to: './lineage.jsonl' },
        integrations: [
          integrationOfA('summit', source.url, {
            schedule: { cron: '0 4 * * *', timeZone: 'UTC' },
            removals: { maxShare: 1, minCount: 100 },
            guards: { massUpdate: 1, blackout: false, maxQuarantined: 0 },
          }),
        ],
      })
      expect(await run(workspace, ['schedule', '--now'])).toBe(0)
      // From here on, the error answers of the source contain people, and the webhook's receiver rejects
      // every message.
      receiver.answers = Array.from({ length: 100 }, () => 400)
      const people = JSON.stringify(beforeOfA[1]?.Users)
      source.script = async () => ({ status: 404, body: people })
      await work(workspace, '"job ended"')
      source.script = async () => ({ status: 200, body: `{"zyxomma7": ${people}}` })
      expect(await run(workspace, ['run'])).toBe(1)
      source.script = async () => null
      // The added record has neither id nor address, so the product cannot read it.
      for (const files of beforeOfA) {
        source.records = { ...files, Users: [{ FirstName: 'Zyxomma' }, ...(files.Users ?? [])] }
        expect(await run(workspace, ['run'])).toBe(3)
      }
      source.records = { ...beforeOfA[2], Sessions: [] }
      expect(await run(workspace, ['run'])).toBe(4)
      source.records = beforeOfA[2] ?? {}
      expect((await look(workspace)).rows.length).toBeGreaterThan(8)

      expect(
        await run(workspace, ['forget', 'summit', 'attendees', '--email', '--vacuum-full'], `${ADDRESS}\n`),
      ).toBe(0)
      const { counts, ...found } = await look(workspace, 'queue.job', 'sync.notices')
      expect(found).toEqual({ rows: [], statistics: [] })
      // The queue still has a failed job, and there are notices that could not be sent.
      expect(counts[0]).toBeGreaterThan(0)
      expect(counts[1]).toBeGreaterThan(2)
      expect(receiver.received.filter(({ body }) => holdsPerson(body))).toEqual([])
      expect(told.length).toBeGreaterThan(10)
      expect(told.filter(holdsPerson)).toEqual([])
      // The folder contains the packs and the lineage file. If the database is embedded, the folder also
      // contains the database with the queue.
      expect(searchFiles(workspace.folder)).toEqual([])
      // The worker can still work, although the failed job still exists.
      expect(await run(workspace, ['schedule'])).toBe(0)
      await work(workspace, '"result":"done"')
    },
    MANY_PROCESSES_MS,
  )
})
