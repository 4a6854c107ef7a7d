import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openQueue } from '../../pipeline/database/job-queue.ts'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { startSampleSourceA } from '../harness/sample-source/a.ts'
import { blocksOf } from '../pipeline/snippets/blocks.ts'
import { syncToPlatform } from '../pipeline/sync-to-platform.ts'
import { useOneFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { statesOfA } from '../upgrade/story.ts'

const ROLES = ['owner', 'loader', 'reader', 'reader_personal'] as const
type Role = (typeof ROLES)[number]

// The names of logins contain the process id, because logins exist for the whole server, which other tests
// use too.
const mark = `t${process.pid}`
const loginOf = (role: Role) => `${mark}_${role}`
const output = useOneFolder()
let adminUrl = ''

beforeAll(async () => {
  adminUrl = await createDatabase(inject('postgresUrl'))
  await ask(adminUrl, script('create.sql'))
  for (const role of ROLES) {
    await ask(
      adminUrl,
      `create role ${loginOf(role)} login password 'x' in role event_sync_${role};
       alter role ${loginOf(role)} set role = event_sync_${role}`,
    )
  }
  await ask(adminUrl, `grant create on database ${new URL(adminUrl).pathname.slice(1)} to event_sync_owner`)
  const owner = await openPostgres(urlOf('owner'))
  await migrate(owner)
  await owner.close()
  await ask(urlOf('owner'), script('grant.sql'))
  await sync(statesOfA[0])
})

afterAll(async () => {
  const roles = ROLES.map((role) => `event_sync_${role}`)
  await ask(adminUrl, `drop owned by ${roles.join(', ')} cascade`)
  await ask(adminUrl, `drop role ${[...ROLES.map(loginOf), ...roles].join(', ')}`)
})

function script(name: string): string {
  return readFileSync(join(packageRoot, 'sql', 'roles', name), 'utf8')
}

function urlOf(role: Role): string {
  const url = new URL(adminUrl)
  url.username = loginOf(role)
  url.password = 'x'
  return url.href
}

async function ask(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(text).finally(() => client.end())
  return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? []
}

const as = (role: Role, text: string) => ask(urlOf(role), text)

/** Runs a sync with the database role of the loader. */
async function sync(state: (typeof statesOfA)[number]): Promise<number> {
  const source = await startSampleSourceA(state)
  const database = await openPostgres(urlOf('loader'))
  try {
    await migrate(database)
    const platform = { url: '', token: 'unused', eventId: '' }
    await ask(adminUrl, `update sync.integrations set source_url = '${source.url}'`)
    const integration = { platform: { type: 'jsonl' } }
    return (await syncToPlatform({ database, sourceUrl: source.url, platform, output, integration })).code
  } finally {
    await database.close()
    await source.close()
  }
}

const FOLDER = join(packageRoot, 'sql', 'queries')
const QUERIES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()
const queryIn = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

const REFUSED = /permission denied|must be owner|cannot (insert into|update|delete from) view/

test('the scripts that create the roles can be run a second time', async () => {
  await ask(adminUrl, script('create.sql'))
  await as('owner', script('grant.sql'))
  expect(await as('reader', 'select count(*)::int as count from published.agenda')).toEqual([{ count: 2 }])
})

describe('the loader', () => {
  test('the loader can run several times, and can update the statistics of large tables', async () => {
    expect(await sync(statesOfA[2])).toBe(0)
    await as('loader', "select sync.refresh_statistics('staging.a_users')")
    const [told] = await ask(
      adminUrl,
      "select reltuples::int as rows from pg_class where oid = 'staging.a_users'::regclass",
    )
    expect(Number(told?.rows)).toBeGreaterThan(0)
  })

  test('the loader can work on the queue that the owner created, and can set schedules', async () => {
    const troubles: Error[] = []
    const open = async (role: Role) => {
      const database = await openPostgres(urlOf(role))
      return {
        database,
        queue: await openQueue(database, role === 'loader', (error) => troubles.push(error)),
      }
    }
    const made = await open('owner')
    await made.queue.close()
    await made.database.close()
    await as('owner', script('grant.sql'))
    const { database, queue } = await open('loader')
    await queue.call('summit')
    const [job] = await queue.take(1, [])
    if (job === undefined) throw new Error('there is no turn')
    await queue.beat([job])
    await queue.putBack(job, 0)
    const [again] = await queue.take(1, [])
    if (again === undefined) throw new Error('it was not put back')
    await queue.end(again)
    await queue.boss.supervise()
    await queue.close()
    await database.close()
    expect(troubles).toEqual([])
    await expect(as('reader_personal', 'select count(*) from queue.schedule')).rejects.toThrow(REFUSED)
  })

  test.each([
    'drop table staging.a_users',
    'alter table sync.runs add column more text',
    'create table published.mine (id int)',
    'create or replace view published.runs as select 1 as one',
    "create function sync.mine() returns int language sql as 'select 1'",
    "update migration.applied set sha256 = ''",
    'drop schema incoming cascade',
    'set role event_sync_owner',
    "select pg_read_file('/etc/passwd')",
  ])('may not: %s', async (text) => {
    await expect(as('loader', text)).rejects.toThrow(REFUSED)
  })
})

describe('the reader', () => {
  test('the reader can read all columns without personal data in every view', async () => {
    const views = await as(
      'owner',
      "select table_name as name from information_schema.views where table_schema = 'published'",
    )
    expect(views.length).toBeGreaterThan(8)
    const granted = await ask(
      adminUrl,
      `select table_name, string_agg(column_name, ', ') as columns from information_schema.column_privileges
       where grantee = 'event_sync_reader' and table_schema = 'published' group by table_name`,
    )
    expect(granted.map(({ table_name }) => table_name).sort()).toEqual(views.map(({ name }) => name).sort())
    for (const { table_name, columns } of granted)
      await as('reader', `select ${columns} from published.${table_name}`)
  })

  test('the reader can run exactly the queries that sql/queries/README.md lists for this role', async () => {
    const asked = await Promise.all(
      QUERIES.map(async (file) => {
        const refusal = await as('reader', queryIn(file)).then(
          () => null,
          (error: Error) => error.message,
        )
        if (refusal !== null) expect(refusal).toMatch(REFUSED)
        return refusal === null ? [file] : []
      }),
    )
    const listed =
      /`event_sync_reader`, ([^.]+)\./.exec(readFileSync(join(FOLDER, 'README.md'), 'utf8'))?.[1] ?? ''
    expect(asked.flat()).toEqual([...listed.matchAll(/[a-z-]+/g)].map(([name]) => `${name}.sql`))
  })

  test('the reader can read columns without personal data as of earlier runs', async () => {
    const query = `select item.local_start::text, item.name from published.agenda_by_run as item
      where item.is_latest order by item.name`
    const [first] = await as('reader', query)
    expect(first).toEqual({ local_start: '2031-05-04 15:00:00', name: 'Session 101' })
    const company =
      'select run_id, count(company) as companies from published.attendees_by_run group by run_id'
    await expect(as('reader', company)).rejects.toThrow(REFUSED)
    expect(await as('reader', 'select distinct run_id from published.attendees_by_run')).not.toEqual([])
  })

  test.each([
    'select * from published.attendees',
    'select email_address from published.attendees',
    'select unique_id from published.attendees',
    // Columns with ids are personal, because an id may be an e-mail address.
    'select attendee_id from published.speakers',
    'select speaker_id from published.session_speakers',
    "select * from published.agenda_as_of('01a1fda0-0000-7000-8000-000000000001')",
    'select whole from published.attendees as whole',
    "select query_to_xml('select * from published.attendees', true, true, '')",
    'select count(*) from published.attendees where email_address like $$a%$$',
    'select 1 from published.attendees order by last_name',
    'select a.run_id from published.attendees a join published.speakers s on s.last_name = a.last_name',
    'select before, after from published.changes',
    "select * from published.attendees_as_of('01a1fda0-0000-7000-8000-000000000001')",
    'select * from published.attendees_as_of(now())',
    "select * from staging.a_users_as_of('01a1fda0-0000-7000-8000-000000000001')",
    'select source_id from published.decisions',
    'select * from staging.a_users',
    'select fields from sync.desired_items',
    'select * from sync.passwords',
    'copy published.attendees to stdout',
    'create view public.mine as select * from published.attendees',
    'insert into published.runs (run_id) select null',
    'set role event_sync_reader_personal',
    "select sync.refresh_statistics('staging.a_users')",
    "do 'begin perform first_name from published.speakers; end'",
  ])('may not: %s', async (text) => {
    await expect(as('reader', text)).rejects.toThrow(REFUSED)
  })

  test("learns no values from the planner's statistics", async () => {
    await ask(adminUrl, 'analyze staging.a_users, sync.desired_items')
    expect(
      await as(
        'reader',
        "select schemaname, tablename from pg_stats where schemaname in ('staging', 'sync')",
      ),
    ).toEqual([])
  })
})

test('a monitoring tool that only has the rights of the reader can read the state of each integration', async () => {
  expect(
    await as('reader', 'select integration_id, state, reason, is_running from published.integrations'),
  ).toEqual([{ integration_id: 'summit', state: 'up to date', reason: null, is_running: false }])
})

describe('the reader of personal columns', () => {
  test('the reader of personal columns can read all columns of published views and staging tables', async () => {
    expect(await as('reader_personal', 'select * from published.attendees')).toHaveLength(7)
    expect((await as('reader_personal', 'select * from staging.a_users')).length).toBeGreaterThan(6)
    const latest = 'from staging.runs as run cross join lateral'
    expect(
      await as('reader_personal', `select * ${latest} staging.a_users_as_of(run.run_id) where run.is_latest`),
    ).toHaveLength(7)
    await as(
      'reader_personal',
      `select * ${latest} staging.a_users_between(run.run_before, run.run_id) as step`,
    )
    await as('reader_personal', `select * ${latest} published.attendees_as_of(run.run_id)`)
    expect(
      await as('reader_personal', "select * from published.attendees_as_of('infinity'::timestamptz)"),
    ).toHaveLength(7)
  })

  test('the reader of personal columns can run every query of sql/queries, and every query of the documents', async () => {
    for (const file of QUERIES) await as('reader_personal', queryIn(file))
    for (const document of ['sql/README.md', 'sql/views/README.md']) {
      const blocks = blocksOf(document, readFileSync(join(packageRoot, document), 'utf8'))
      const queries = blocks.filter(({ language }) => language === 'sql')
      expect(queries.length).toBeGreaterThan(5)
      for (const { text } of queries) await as('reader_personal', text)
    }
  })

  test.each([
    'select * from sync.passwords',
    'select before, after from sync.changes',
    'delete from staging.a_users',
    'create table staging.mine (id int)',
    'set role event_sync_loader',
  ])('may not: %s', async (text) => {
    await expect(as('reader_personal', text)).rejects.toThrow(REFUSED)
  })
})

describe('a user who is not the owner', () => {
  test('if the schema has another version, a user who is not the owner gets an error that says what to do', async () => {
    await as('owner', "update migration.applied set sha256 = 'older' where name = 'views/10-runs.sql'")
    for (const role of ['loader', 'reader'] as const) {
      const database = await openPostgres(urlOf(role))
      await expect(migrate(database).finally(() => database.close())).rejects.toThrow(
        'this user may not change it; run any command once as its owner, then sql/roles/grant.sql',
      )
    }
    const owner = await openPostgres(urlOf('owner'))
    await migrate(owner).finally(() => owner.close())
  })
})
