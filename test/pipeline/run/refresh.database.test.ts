import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Content } from '../../../sql/tables.ts'
import { serve } from '../../harness/loopback.ts'
import { useFolder } from '../../support/folder.ts'
import { emptyTables } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { type ScriptedSource, startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'
import { syncToPlatform } from '../sync-to-platform.ts'

const database = useDatabase('postgres')
const output = useFolder()
let source: ScriptedSource
beforeEach(async () => {
  await emptyTables(database().kysely)
  source = await startScriptedSource(smallEvent)
})

/** Pages of each content. One page has more bytes than COPY collects before it sends them to the database. */
const PAGES = 4
const ITEMS = 200
const ALL = 3 * PAGES * ITEMS

/**
 * Starts a platform whose pages have more bytes than COPY collects before it sends them.
 *
 * @param answered called before each answer; if the function returns a value, the server answers 404
 */
async function startPlatform(answered: (asked: number) => Promise<unknown>) {
  const server = await serve(async (request, response, number) => {
    const page = Number(new URL(`http://127.0.0.1${request.url}`).searchParams.get('cursor') ?? 0)
    const items = Array.from({ length: ITEMS }, (_, place) => ({
      uniqueId: String(100_000 + page * ITEMS + place),
      fields: { name: 'x'.repeat(1000) },
    }))
    const body = { items, next: page + 1 < PAGES ? String(page + 1) : null, fence: 3 }
    const fault = await answered(number)
    if (fault === undefined) response.end(JSON.stringify(body))
    else response.writeHead(404).end()
  })
  onTestFinished(server.close)
  return { url: server.url, token: 'token', eventId: '1001' }
}

async function plan(
  platform: Awaited<ReturnType<typeof startPlatform>>,
  refresh = false,
  content: readonly Content[] = ['agenda', 'speakers', 'attendees'],
) {
  const sync = {
    database: database(),
    sourceUrl: source.url,
    output: output(),
    platform,
    integration: { content },
  }
  return (await syncToPlatform(sync, { command: 'plan', refresh })).last
}

const known = async () => {
  const { rows } = await sql<{ count: string }>`select count(*) from sync.platform_items`.execute(
    database().kysely,
  )
  return Number(rows[0]?.count)
}
const left = async () => {
  const { rows } = await sql`select from pg_tables where schemaname = 'incoming'`.execute(database().kysely)
  return rows.length
}

test('while the items of the platform are read back, no transaction is open; afterwards all items are stored', async () => {
  const open: unknown[] = []
  const platform = await startPlatform(async () => {
    const { rows } = await sql`
      select state, left(query, 100) as query
      from pg_stat_activity
      where datname = current_database()
        -- The server's own processes come by, too.
        and backend_type = 'client backend'
        and pid <> pg_backend_pid()
        and xact_start is not null`.execute(database().kysely)
    open.push(...rows)
  })
  expect((await plan(platform)).error).toBeUndefined()
  expect(open).toEqual([])
  expect([await known(), await left()]).toEqual([ALL, 0])
})

test('if the platform fails halfway, the items stored before stay, and nothing of the failed reading remains', async () => {
  // The first plan reads all pages. In the second plan, the state of each content is requested first, and
  // then the third page fails.
  const failing = 3 * PAGES + 3 + 3
  const platform = await startPlatform(async (asked) => (asked === failing ? 'gone' : undefined))
  expect((await plan(platform)).error).toBeUndefined()
  const failed = await plan(platform, true)
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('refresh failed') })
  expect([await known(), await left()]).toEqual([ALL, 0])
})

test('a content that was not synced at the time of --refresh is read back when it is synced again', async () => {
  let asked = 0
  const platform = await startPlatform(async () => {
    asked += 1
  })
  const askedFor = async (refresh: boolean, ...content: readonly Content[]) => {
    asked = 0
    expect((await plan(platform, refresh, content)).error).toBeUndefined()
    return asked
  }
  expect(await askedFor(false, 'agenda', 'attendees')).toBe(2 * PAGES)
  expect(await askedFor(false, 'agenda', 'attendees')).toBe(2)
  expect(await askedFor(true, 'agenda')).toBe(1 + PAGES)
  expect(await askedFor(false, 'agenda', 'attendees')).toBe(1 + PAGES)
})
