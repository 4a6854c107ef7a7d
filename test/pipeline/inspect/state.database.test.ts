import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { lastStates } from '../../../pipeline/commands/runs.ts'
import { checkConfig, readConfig } from '../../../pipeline/config/config.ts'
import type { Context } from '../../../pipeline/context/run-context.ts'
import { findStates, type State } from '../../../pipeline/inspect/state.ts'
import { findStatuses } from '../../../pipeline/inspect/status.ts'
import { machine } from '../../../pipeline/runtime/environment.ts'
import { silent } from '../../../pipeline/runtime/events.ts'
import type { Database } from '../../../sql/database.ts'
import { VARIABLES } from '../../harness/place.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { integrationOfA } from '../commands/small-event.ts'

/** How runs can have ended, as columns of `sync.runs`. */
const RUNS = {
  finished: { status: 'finished', certified: true },
  approvedAfterPause: {
    status: 'finished',
    certified: true,
    pinned: '{"since": "2031-01-01T00:00:00.000Z"}',
  },
  uncertified: { status: 'finished', certified: false },
  rejected: { status: 'finished', certified: true, counts: '{"failed": 2}' },
  failed: { status: 'failed', error: 'extract failed' },
  held: { status: 'held', certified: true, held: '{"guard": "removals", "detail": ""}' },
  planned: { command: 'plan', status: 'planned', certified: true },
  pinned: { status: 'planned', certified: true, pinned: '{"since": "2031-01-01T00:00:00.000Z"}' },
  pinnedHeld: {
    status: 'held',
    certified: true,
    held: '{"guard": "removals", "detail": ""}',
    pinned: '{"since": "2031-01-01T00:00:00.000Z"}',
  },
  abandoned: { status: 'abandoned' },
  running: { status: 'running' },
  applying: { status: 'applying', certified: true },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string | boolean>>>>

type Kind = keyof typeof RUNS

interface Case {
  readonly id: string
  /** From the oldest to the newest. */
  readonly runs: readonly Kind[]
  readonly isPaused?: boolean
  readonly isScheduled?: boolean
}

function contextOf(database: Database, cases: readonly Case[]): Context {
  const schedule = { cron: '* * * * *', timeZone: 'UTC', jitterSeconds: 0 }
  const integrations = cases.map(({ id, isScheduled = false }) =>
    integrationOfA(id, 'http://127.0.0.1:9', isScheduled ? { schedule } : {}),
  )
  const reading = { env: VARIABLES, readFile: () => JSON.stringify({ integrations }) }
  const config = checkConfig(readConfig('event-sync.yaml', reading), reading)
  const secrets = { env: VARIABLES, readFile: () => '', configFolder: '.' }
  return { config, database, environment: machine, secrets, outputFolder: '/nowhere', events: silent }
}

/** Stores the runs of the cases, each an hour after the one before. The newest run began an hour ago. */
async function store({ kysely: db }: Database, cases: readonly Case[]): Promise<void> {
  await sql`truncate sync.runs, sync.actions, sync.integrations`.execute(db)
  const rows: RawBuilder<unknown>[] = []
  for (const { id, runs } of cases) {
    for (const [index, kind] of runs.entries()) {
      const run = {
        command: 'run',
        certified: null,
        counts: null,
        error: null,
        held: null,
        pinned: null,
        ...RUNS[kind],
      }
      const runId = `01a20000-0000-7000-8000-${String(index).padStart(12, '0')}`
      const at = new Date(Date.now() - (runs.length - index) * 3_600_000).toISOString()
      const isOver = ['finished', 'failed', 'abandoned'].includes(run.status)
      rows.push(
        sql`(${id}, ${runId}::uuid, ${run.command}, ${run.status}, ${at}::timestamptz, ${at}::timestamptz, ${isOver ? at : null}::timestamptz, ${run.certified}::boolean, ${run.counts}::jsonb, ${run.error}, ${run.held}::jsonb, ${run.pinned}::jsonb, '1.0.0', 'root', 'c', '{agenda}', 1, 'h')`,
      )
    }
  }
  for (let at = 0; at < rows.length; at += 1000)
    await sql`
      insert into sync.runs (integration_id, run_id, command, status, started_at, planned_at, finished_at, certified, counts, error, held, pinned, product_version, started_by, config_hash, contents, base, plan_hash)
      values ${sql.join(rows.slice(at, at + 1000))}`.execute(db)
  for (const { id, isPaused = false } of cases)
    if (isPaused)
      await sql`insert into sync.actions (integration_id, action_id, action, made_at, made_by)
        values (${id}, '01a20000-0000-7000-8000-000000000000', 'paused', '2031-01-01', 'root')`.execute(db)
}

const KINDS = Object.keys(RUNS) as Kind[]

/** All histories of up to two runs, with and without a pause. Every other integration has a schedule. */
const CASES = [[], ...KINDS.map((one) => [one]), ...KINDS.flatMap((one) => KINDS.map((next) => [one, next]))]
  .flatMap((runs) => [false, true].map((isPaused) => ({ runs, isPaused })))
  .map((one, index): Case => ({ ...one, id: `event-${index}`, isScheduled: index % 4 < 2 }))

describe.each(engines)('states of integrations on %s', (engine) => {
  const database = useDatabase(engine)
  const statesOf = async (context: Context) =>
    Object.fromEntries((await findStates(context)).map(({ integration, state }) => [integration, state]))

  test('the states in the metrics are those of the status page, after every history', async () => {
    await store(database(), CASES)
    const context = contextOf(database(), CASES)
    const found = await findStates(context)
    expect(found.map(({ integration }) => integration)).toEqual(CASES.map(({ id }) => id))
    const shown = new Map((await findStatuses(context)).map((one) => [one.integration, one]))
    const historyOf = (id: string) => CASES.find((one) => one.id === id)
    for (const { integration, state } of found)
      expect({ ...historyOf(integration), state }).toEqual({
        ...historyOf(integration),
        state: shown.get(integration)?.state,
      })
    for (const { integration, secondsSinceSuccess } of found) {
      const { runs = [] } = historyOf(integration) ?? {}
      const succeeded = runs.findLastIndex((kind) => RUNS[kind].status === 'finished')
      const hours = succeeded === -1 ? null : runs.length - succeeded
      expect(secondsSinceSuccess === null ? null : Math.round(secondsSinceSuccess / 3600)).toBe(hours)
    }
    const states = new Set(found.map(({ state }) => state))
    expect([...states].toSorted()).toEqual(
      [
        'failing',
        'held',
        'incomplete',
        'interrupted',
        'never run',
        'overdue',
        'pinned',
        'up to date',
      ].toSorted(),
    )
  })

  test.each<[State, readonly Kind[]]>([
    ['up to date', ['finished', 'running']],
    ['up to date', ['finished', 'applying', 'running']],
    ['never run', ['running']],
    ['failing', ['failed', 'running']],
  ])(
    'while a process works on it, an integration stays in the state %s after the runs %j',
    async (state, runs) => {
      const cases = [
        { id: 'busy', runs },
        { id: 'dead', runs },
      ]
      await store(database(), cases)
      const context = contextOf(database(), cases)
      const lock = await database().lock('busy')
      expect(lock).not.toBeNull()
      const states = await statesOf(context)
      await lock?.release()
      expect(states).toEqual({ busy: state, dead: 'interrupted' })
    },
  )

  test.each([
    ['the states', findStates],
    ['event-sync runs', lastStates],
  ])(
    '%s: as many queries are made for 60 integrations with 40 runs as for 2 with 2 runs',
    async (_, find) => {
      async function countQueries(integrations: number, runs: number): Promise<number> {
        const cases = Array.from({ length: integrations }, (_, index): Case => {
          const kinds = Array.from({ length: runs }, () => 'failed' as const)
          return { id: `event-${index}`, runs: kinds, isPaused: index % 2 === 0 }
        })
        await store(database(), cases)
        let queries = 0
        const kysely = database().kysely.withPlugin({
          transformQuery({ node }) {
            queries += 1
            return node
          },
          transformResult: async ({ result }) => result,
        })
        const counted: Database = Object.create(database(), {
          kysely: { value: kysely },
          executeSql: {
            value(...args: Parameters<Database['executeSql']>) {
              queries += 1
              return database().executeSql(...args)
            },
          },
          findLocked: {
            value(...args: Parameters<Database['findLocked']>) {
              queries += 1
              return database().findLocked(...args)
            },
          },
        })
        await find(contextOf(counted, cases))
        return queries
      }
      const few = await countQueries(2, 2)
      expect(few).toBeGreaterThan(3)
      expect(await countQueries(60, 40)).toBe(few)
    },
  )
})
