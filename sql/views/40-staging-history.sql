-- grain: integration, run that staged what it read, even if its plan was not applied. readers: analysts, functions below
create or replace view staging.runs as
select
  run.integration_id,
  run.run_id,
  run.started_at,
  run.planned_at as staged_at,
  run.certified,
  run.status,
  (
    select earlier.run_id
    from sync.runs as earlier
    where earlier.integration_id = run.integration_id
      and earlier.planned_at is not null
      and earlier.purged_at is null
      and earlier.run_id < run.run_id
    order by earlier.run_id desc
    limit 1
  ) as run_before,
  run.run_id = latest.run_id as is_latest
from sync.integrations as integration
-- One subquery for each integration, as in published.runs.
cross join lateral (
  select last.run_id
  from sync.runs as last
  where last.integration_id = integration.integration_id
    and last.planned_at is not null
  order by last.run_id desc
  limit 1
) as latest
join sync.runs as run
  on run.integration_id = integration.integration_id
where run.planned_at is not null
  and run.purged_at is null;

comment on view staging.runs is 'Runs that staged the records that they read. The functions of this schema accept each of these runs, even if the run only planned or its plan was held.';
comment on column staging.runs.integration_id is 'Id of the integration.';
comment on column staging.runs.run_id is 'Id of the run, a UUIDv7: later runs have greater ids.';
comment on column staging.runs.started_at is 'Time at which the run started.';
comment on column staging.runs.staged_at is 'Time at which the records of the run were staged, together with its plan.';
comment on column staging.runs.certified is 'True if it is proved that the run read every resource completely.';
comment on column staging.runs.status is 'State of the run. One of: planned, held, applying, applied, finished, failed.';
comment on column staging.runs.run_before is 'Previous run of the integration that staged records; null for the first run, and if the previous run was purged.';
comment on column staging.runs.is_latest is 'True for the last run of its integration that staged records. Current versions, in which valid_to_run is null, belong to this run. If this run only planned, or if its plan was held, the latest run of published.runs is an earlier run.';

-- Creates two functions for a staging table. The planner inlines them like views, so that a condition on
-- integration_id or source_id can use the indexes of the table. The planner inlines the functions only if they are
-- plain SQL and not volatile, and if their arguments are not subqueries.
create or replace function migration.define_history(staged text)
returns void
language plpgsql
as $define$
declare
  is_personal boolean;
begin
  is_personal := (
    select col_description(attrelid, attnum) like '% Personal.'
    from pg_attribute
    where attrelid = format('staging.%I', staged)::regclass
      and attname = 'doc'
  );
  -- `staged.*` always matches the row type of the table, even after a column is added.
  execute format($template$
create or replace function staging.%1$I(run uuid)
returns setof staging.%2$I
language sql stable parallel safe
as $body$
select staged.*
from staging.runs as as_of
join staging.%2$I as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= %1$I.run
  and (staged.valid_to_run is null or staged.valid_to_run > %1$I.run)
where as_of.run_id = %1$I.run
$body$
$template$, staged || '_as_of', staged);
  execute format(
    'comment on function staging.%I(uuid) is %L', staged || '_as_of',
    format('Returns the rows of staging.%s as of a run: records that the run read, and records that it did not read but that stayed current. All rows belong to the integration of the run. If the run staged nothing, the function returns no rows.', staged)
      || case when is_personal then ' Personal.' else '' end
  );

  -- Versions that are valid in both runs are not compared. A new version with the same columns is not a change: options
  -- of the integration, or the record parser, may have changed its hash.
  execute format($template$
create or replace function staging.%1$I(from_run uuid, to_run uuid)
returns table (
  integration_id text,
  source_id text,
  change text,
  changed_columns text[],
  before staging.%2$I,
  after staging.%2$I
)
language sql stable parallel safe
as $body$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.%2$I as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= %1$I.from_run
      and staged.valid_to_run > %1$I.from_run
      and staged.valid_to_run <= %1$I.to_run
    where one.run_id = %1$I.from_run
      and other.run_id = %1$I.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.%2$I as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > %1$I.from_run
      and staged.valid_from_run <= %1$I.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > %1$I.to_run)
    where one.run_id = %1$I.from_run
      and other.run_id = %1$I.to_run
  ) as begun
    using (integration_id, source_id)
  -- `offset 0` keeps the planner from inlining this query: otherwise each row would be compared twice, once for the
  -- condition below and once for the result.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$body$
$template$, staged || '_between', staged);
  execute format(
    'comment on function staging.%I(uuid, uuid) is %L', staged || '_between',
    format('Returns the changes of staging.%s from one run to a later run of the same integration. The columns of the result are integration_id, source_id, change, changed_columns, before and after. The column change is added, removed or changed. The array changed_columns is in byte order, and is empty for added and removed records. The columns before and after are rows of the table: (after).source_id is one of their columns. If the runs belong to different integrations or are in the wrong order, the function returns no rows.', staged)
      || case when is_personal then ' Personal.' else '' end
  );
end
$define$;
comment on function migration.define_history(text) is 'Creates or replaces the two functions for the history of a staging table, for example staging.a_users_as_of and staging.a_users_between.';

select migration.define_history(table_name) from migration.resources order by table_name;
