import type pg from 'pg'
import { LARGE } from './sync.ts'

/** Runs of each integration, the one that was really made included. */
const RUNS = 10

/**
 * Lays nine earlier runs below the one that was made: of 20 records 3 have changed on the way, 1 was gone for a run,
 * 1 came later, the others were there as they are from the first run on.
 */
export async function addHistory(client: pg.Client): Promise<void> {
  await client.query(`
    insert into sync.runs (integration_id, run_id, command, status, started_at, planned_at, applied_at, finished_at,
      product_version, started_by, config_hash, contents, base, plan_hash, certified)
    select integration_id, ${runOf('number')}, command, status, started_at - (10 - number) * interval '1 day',
      planned_at - (10 - number) * interval '1 day', applied_at, finished_at - (10 - number) * interval '1 day',
      product_version, started_by, config_hash, contents, base, number::text, certified
    from sync.runs
    cross join generate_series(1, ${RUNS - 1}) as number
    where integration_id = '${LARGE}'`)
  await spread(client, 'staging.b_registrants', 'source_id', "company = company || ' before'")
  await spread(client, 'sync.desired_items', 'unique_id', `fields = fields || '{"company": "before"}'`)
  await spread(client, 'sync.decisions', 'source_id', "detail = 'before'")
}

/** Copies of the integration and its history, each under a name of its own and with runs of its own. */
export async function addOthers(client: pg.Client, count: number, registrants: number): Promise<void> {
  await client.query(`
    insert into sync.integrations
    select (jsonb_populate_record(integration, jsonb_build_object('integration_id', ${otherOf('number')}))).*
    from sync.integrations as integration
    cross join generate_series(1, ${count}) as number
    where integration_id = '${LARGE}'`)
  await client.query(`
    insert into sync.runs
    select (jsonb_populate_record(run, jsonb_build_object('integration_id', ${otherOf('number')}, 'run_id', ${ownRun('run_id', 'number')}))).*
    from sync.runs as run
    cross join generate_series(1, ${count}) as number
    where integration_id = '${LARGE}'`)
  for (const [table, id] of [
    ['staging.b_registrants', 'source_id'],
    ['sync.desired_items', 'unique_id'],
    ['sync.decisions', 'source_id'],
  ] as const) {
    const columns = await columnsOf(client, table)
    const values = columns.map((column) => {
      if (column === 'integration_id') return otherOf('number')
      return column.startsWith('valid_') ? ownRun(column, 'number') : column
    })
    await client.query(`
      insert into ${table} (${columns})
      select ${values}
      from ${table}
      cross join generate_series(1, ${count}) as number
      where integration_id = '${LARGE}'
        and ${id} in (
          select source_id from staging.b_registrants
          where integration_id = '${LARGE}' and valid_to_run is null
          order by source_id
          limit ${registrants}
        )
      order by number`)
  }
  await client.query('vacuum analyze')
}

/** Turns what one run made into versions of all of them. */
async function spread(client: pg.Client, table: string, id: string, was: string): Promise<void> {
  const kind = `abs(hashtext(${id})) % 20`
  const changed = `2 + abs(hashtext(${id} || 'at')) % ${RUNS - 2}`
  const columns = await columnsOf(client, table)
  await client.query(`
    update ${table} as version
    set valid_from_run = case
      when ${kind} < 3 then ${runOf(changed)}
      when ${kind} = 3 then ${runOf(`least(${changed} + 1, ${RUNS - 1})`)}
      when ${kind} = 4 then ${runOf(changed)}
      else ${runOf('1')}
    end
    where integration_id = '${LARGE}'`)
  const [column = '', value = ''] = was.split(' = ')
  const before = columns.map((name) => {
    if (name === column) return value
    if (name === 'valid_from_run') return runOf('1')
    return name === 'valid_to_run'
      ? runOf(`case when ${kind} = 3 then ${changed} - 1 else ${changed} end`)
      : name
  })
  await client.query(`
    insert into ${table} (${columns})
    select ${before}
    from ${table}
    where integration_id = '${LARGE}'
      and ${kind} < 4
      and not (${kind} = 3 and ${changed} < 3)`)
}

async function columnsOf(client: pg.Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ attname: string }>(
    'select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum',
    [table],
  )
  return rows.map(({ attname }) => attname)
}

/** Id of an earlier run: before all that are made today, in the order of their numbers. */
function runOf(number: string): string {
  return `('01800000-0000-7000-8000-' || lpad((${number})::text, 12, '0'))::uuid`
}

/** The same moment in the life of another integration. */
function ownRun(run: string, integration: string): string {
  return `(left(${run}::text, 20) || lpad(to_hex(${integration}), 3, '0') || right(${run}::text, 13))::uuid`
}

function otherOf(number: string): string {
  return `'other-' || ${number}`
}
