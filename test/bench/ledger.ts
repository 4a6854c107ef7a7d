import { withClient } from '../support/postgres.ts'

/**
 * Gives the only integration of a database a history of `runs` runs, and adds more integrations with as many
 * runs. The first run of each added integration is a copy of the existing first run with all stored rows. All
 * further runs are copies of the existing last run, in which nothing changed.
 */
export async function fillLedger(databaseUrl: string, integrations: number, runs: number): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{
      name: string
      of_runs: boolean
      columns: readonly { readonly name: string; readonly type: string }[]
    }>(`
      select format('%I.%I', table_schema, table_name) as name,
        bool_or(column_name = 'run_id') as of_runs,
        json_agg(json_build_object('name', quote_ident(column_name), 'type', data_type)) as columns
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema in ('staging', 'sync') and table_type = 'BASE TABLE' and is_identity = 'NO'
        and is_generated = 'NEVER'
      group by table_schema, table_name
      having bool_or(column_name = 'integration_id')`)
    await client.query(`
      create temporary table own as
      select min(run_id::text)::uuid as first_run, max(run_id::text)::uuid as last_run from sync.runs`)
    // The setting `replica` turns off triggers and foreign keys, so that tables can be filled in any order.
    await client.query('set session_replication_role = replica')
    for (const { name, of_runs, columns } of tables) {
      const values = columns.map(({ name: column, type }) => {
        if (column === 'integration_id')
          return "case when n = 0 then kept.integration_id else 'other-' || n end"
        if (column === 'run_id') return runId('m')
        if (type === 'uuid') return `case when kept.${column} is not null then ${runId('0')} end`
        return type.startsWith('timestamp')
          ? `kept.${column} + (m - ${runs}) * interval '1 hour'`
          : `kept.${column}`
      })
      const copied = of_runs
        ? 'kept.run_id = case when m = 0 then own.first_run else own.last_run end and n + m > 0'
        : 'n > 0 and m = 0'
      await client.query(`
        insert into ${name} (${columns.map((column) => column.name)})
        select ${values}
        from ${name} as kept
          cross join own
          cross join generate_series(0, ${integrations - 1}) as n
          cross join generate_series(0, ${runs - 1}) as m
        where ${copied}`)
    }
    await client.query('vacuum analyze')
  })
}

/** Returns the id of run `m` of integration `n`, which is older than all runs made today. */
function runId(m: string): string {
  return `('01800000-0000-7000-8000-' || lpad(to_hex(n * 10000 + ${m}), 12, '0'))::uuid`
}
