-- grain: integration, run that staged what it read, no matter what became of its plan. readers: analysts, functions below
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
  not exists (
    select
    from sync.runs as later
    where later.integration_id = run.integration_id
      and later.planned_at is not null
      and later.run_id > run.run_id
  ) as is_latest
from sync.runs as run
where run.planned_at is not null
  and run.purged_at is null;

comment on view staging.runs is 'Runs that staged what they read: those that functions of this schema can be asked for, also where the plan was held or only shown.';
comment on column staging.runs.integration_id is 'Integration.';
comment on column staging.runs.run_id is 'UUIDv7; grows with time.';
comment on column staging.runs.started_at is 'When the run started.';
comment on column staging.runs.staged_at is 'When what it read was staged, with its plan.';
comment on column staging.runs.certified is 'True if every resource was proved to be read completely.';
comment on column staging.runs.status is 'State of the plan: planned, held, applying, applied, finished or failed.';
comment on column staging.runs.run_before is 'The run of the integration that staged before it; null for the first, and if that was purged.';
comment on column staging.runs.is_latest is 'True if it is the last such run of its integration: the one that current versions (valid_to_run is null) are of. Not the latest of published.runs where its plan was held or only shown.';

-- For each staging table two functions, which the planner writes out like views: a condition on integration_id or
-- source_id reaches the indexes of the table. That needs plain SQL, no more than stable, and arguments without queries.
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
  -- `staged.*` is the row type that the function returns, also after a column was added to the table.
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
    format('Rows of staging.%s as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.', staged)
      || case when is_personal then ' Personal.' else '' end
  );

  -- Versions that hold at both runs are never compared. A version whose columns are as before is not a change: the
  -- options of the integration or the rules of the product may have given it a new hash.
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
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$body$
$template$, staged || '_between', staged);
  execute format(
    'comment on function staging.%I(uuid, uuid) is %L', staged || '_between',
    format('Changes of staging.%s from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.', staged)
      || case when is_personal then ' Personal.' else '' end
  );
end
$define$;
comment on function migration.define_history(text) is 'Makes or replaces staging.<table>_as_of and staging.<table>_between.';

select migration.define_history(table_name) from migration.resources order by table_name;
