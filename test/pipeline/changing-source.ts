import { onTestFinished } from 'vitest'
import { unpainted } from '../../pipeline/commands/colours.ts'
import { describeStatuses } from '../../pipeline/commands/status.ts'
import { recordAction } from '../../pipeline/context/record-action.ts'
import { exitCodeOfStatuses, findStatuses } from '../../pipeline/inspect/status.ts'
import { forget } from '../../pipeline/people/forget.ts'
import type { RecordedRunOptions } from '../../pipeline/run/recorded-run.ts'
import { rollBack } from '../../pipeline/run/rollback.ts'
import { applyStored } from '../../pipeline/run/run.ts'
import { machine } from '../../pipeline/runtime/environment.ts'
import { exitCodeOf, type RunReport } from '../../pipeline/runtime/report.ts'
import type { Database } from '../../sql/database.ts'
import { lastOf, openPlace, runLast, sourceAt } from '../harness/place.ts'
import { readPack, readRows } from '../harness/read-pack.ts'
import { jsonAnswer, startSampleServer } from '../harness/sample-source/server.ts'
import { bRegistrant, bSession, TYPES } from '../traps/traps-of-b.ts'
import { type IntegrationPlace, newPlace } from './guarded-integration.ts'

export type Row = Readonly<Record<string, unknown>>

/**
 * Replaces the answer of the source to a search by a wrong answer. If the wrong answer is a number, it is
 * used as the status code.
 */
export type Lie = (kept: readonly Row[], all: readonly Row[]) => readonly Row[] | number

const HOUR_MS = 3_600_000

/** Returns a row with only the requested fields. A value that is not a row is returned unchanged. */
function only(row: Row, fields: readonly string[]): Row {
  return typeof row === 'object'
    ? Object.fromEntries(Object.entries(row).filter(([key]) => fields.includes(key)))
    : row
}

/**
 * Starts a Source B on loopback whose sessions and registrants can change, and makes an integration that
 * reads it. All times are in minutes from the start of the source.
 */
export async function startChanging(
  { database, output, id }: IntegrationPlace,
  reading: Row = { mode: 'changes' },
  more: Row = {},
) {
  const startMs = Date.now()
  let lateMs = 0
  let lie: Lie = (kept) => kept
  let lieOfIds: Lie = (kept) => kept
  let hidden: readonly string[] = []
  let timesHidden = 0
  let dateMinutes: number | null = 0
  let searches: string[] = []
  let whenSearched: () => void = () => undefined
  let hasTotal = true
  let extra = 0
  let pageSize: number | null = null
  let asked: string[] = []
  const held = new Map<string, Row>()
  const sessions = new Map<string, Row>()
  /** Returns the `Date` header. Without this header, Node would add its own `Date` header. */
  const dateHeader = (): Readonly<Record<string, string>> => ({
    Date: dateMinutes === null ? 'unknown' : new Date(startMs + lateMs + dateMinutes * 60_000).toUTCString(),
  })
  const source = await startSampleServer({
    data: null,
    answer({ url }) {
      if (url.pathname.endsWith('/token.json'))
        return jsonAnswer(200, { access_token: 't', type: 'bearer', expires_at: '2999-01-01 00:00:00' })
      const isPeople = url.pathname.endsWith('/registrants.json')
      if (isPeople && url.searchParams.get('search')?.startsWith('updated_at') === true) whenSearched()
      if (url.pathname.endsWith('/reg-types.json'))
        return jsonAnswer(200, { items: TYPES, _meta: { totalCount: TYPES.length } })
      const all = [...(isPeople ? held : sessions).values()]
      const search = url.searchParams.get('search')
      if (search !== null) searches.push(search)
      const since = search?.startsWith('updated_at>=') ? search.slice(12) : null
      const kept = since === null ? all : all.filter((row) => String(row.updated_at) >= since)
      const ids = search?.startsWith('id=*in*') ? search.slice(7).split('|') : null
      const listed = () => {
        if (!isPeople || timesHidden === 0) return all
        timesHidden -= 1
        return all.filter(({ id }) => !hidden.includes(String(id)))
      }
      const given =
        ids !== null
          ? lieOfIds(
              all.filter(({ id }) => ids.includes(String(id))),
              all,
            )
          : since === null
            ? listed()
            : isPeople
              ? lie(kept, all)
              : kept
      if (typeof given === 'number') return jsonAnswer(given, { message: 'no' })
      const beyond = search === null ? extra : 0
      const total = search === null || hasTotal ? { totalCount: given.length + beyond } : {}
      const perPage = pageSize ?? given.length
      const page = Number(url.searchParams.get('page'))
      const fields = ['id', 'name', ...(url.searchParams.get('fields') ?? '').split(',')]
      const items = given.slice((page - 1) * perPage, page * perPage).map((row) => only(row, fields))
      asked.push(`${search ?? 'all'}, page ${page}`)
      return jsonAnswer(200, { items, _meta: { ...total, currentPage: page } }, dateHeader())
    },
  })
  onTestFinished(() => source.close())
  const at = (minutes: number) =>
    new Date(startMs + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')
  let counted: Readonly<Record<string, number>> = {}
  const placeOf = (other: Row = {}, own: Row = {}) =>
    openPlace({
      events: {
        emit(_, event) {
          if (event.type === 'planned') counted = event.records
        },
      },
      database,
      output,
      config: { sealingKey: 'env:KEY' },
      integration: {
        content: ['attendees'],
        ...more,
        ...own,
        id,
        source: { ...sourceAt('b', source.url), timeZone: 'UTC', reading, ...other },
      },
      environment: { ...machine, now: () => startMs + lateMs },
    })
  return {
    at,
    put(name: string, minutes: number, fields: Row = {}) {
      held.set(name, { ...bRegistrant(name), ...held.get(name), ...fields, updated_at: at(minutes) })
    },
    touch(name: string, fields: Row) {
      held.set(name, { ...held.get(name), ...fields })
    },
    putSession(name: string, minutes: number, fields: Row = {}) {
      sessions.set(name, { ...bSession(name), ...sessions.get(name), ...fields, updated_at: at(minutes) })
    },
    dropSession: (name: string) => sessions.delete(name),
    /** From now on, answers to searches for changes contain no total. */
    leavesTotalOut() {
      hasTotal = false
    },
    held,
    drop: (name: string) => held.delete(name),
    lies(next: Lie) {
      lie = next
    },
    liesOfIds(next: Lie) {
      lieOfIds = next
    },
    /**
     * Sets the number of records on a page. If this function is never called, one page contains all records.
     */
    givesPagesOf(size: number) {
      pageSize = size
    },
    /** Makes the source declare more records than it returns. */
    declaresMore(records: number) {
      extra = records
    },
    /** Sets a function that runs at each request for changed registrants. */
    doesWhenSearched(next: () => void) {
      whenSearched = next
    },
    /**
     * Sets the time in the `Date` headers of the source, in minutes from its start. Null makes the header an
     * invalid date.
     */
    saysItIs(minutes: number | null) {
      dateMinutes = minutes
    },
    /**
     * Leaves a registrant out of the next full readings. The number `times` says how many answers lack the
     * registrant.
     */
    hides(name: string, times: number) {
      hidden = [name]
      timesHidden = times
    },
    wait(hours: number) {
      lateMs += hours * HOUR_MS
    },
    async status() {
      const statuses = await findStatuses(placeOf().context)
      const mine = statuses.filter(({ integration }) => integration === id)
      return { ...mine[0], code: exitCodeOfStatuses(mine), text: describeStatuses(mine, unpainted) }
    },
    async forget(name: string) {
      const { context, integration } = placeOf()
      return forget(context, integration, { sought: { id: name }, isDelivered: false })
    },
    /** Plans and approves a rollback to the state after a run. Returns the run of the rollback. */
    async rollBack(to: string): Promise<RunReport> {
      const { context, integration } = placeOf()
      const { planHash } = lastOf(await rollBack(context, integration, to))
      return applyStored(context, integration, planHash ?? '', 'test')
    },
    /** Ends the pause of the integration. */
    async resume(): Promise<void> {
      const { context, integration } = placeOf()
      await context.database.transaction((transaction) =>
        recordAction(transaction, context, integration.id, 'resumed'),
      )
    },
    /**
     * Runs the integration.
     *
     * @param other keys that replace keys of the source in this run
     * @param own keys that replace keys of the integration in this run
     */
    async run(options: Partial<RecordedRunOptions> = {}, other: Row = {}, own: Row = {}) {
      searches = []
      asked = []
      const report = await runLast(placeOf(other, own), options)
      if (report.error !== undefined) throw new Error(report.error)
      const folder = report.output ?? ''
      const [header = [], ...rows] = readRows(folder, 'certificates.csv') ?? []
      const certificate = rows.find(([name]) => name === 'registrants') ?? []
      const figures = (readRows(folder, 'reconciliation.csv') ?? []).filter(
        ([content, resource]) => content === '' && resource === 'registrants',
      )
      return {
        report,
        code: exitCodeOf(report, 0),
        reading: report.reading,
        full: report.readings?.registrants?.full,
        since: report.readings?.registrants?.since,
        missed: report.missed,
        sent: (report.output === null ? [] : readPack(report.output).operations).map(
          ({ op, uniqueId }) => `${op} ${uniqueId}`,
        ),
        certificate: Object.fromEntries(header.map((name, at) => [name, certificate[at]])),
        figure: Object.fromEntries(figures.map(([, , measure, number]) => [measure, number])),
        searches,
        asked,
        /** Registrants that the metrics count as read. */
        counted: counted.registrants,
      }
    },
  }
}

/** Starts a source with four registrants of which one has changed last, and reads them all. */
export async function startThree(database: Database, reading?: Row, more?: Row) {
  const source = await startChanging(newPlace(database), reading, more)
  for (const name of ['r1', 'r2', 'r3']) source.put(name, -3000)
  source.put('r4', 0)
  await source.run()
  return source
}
