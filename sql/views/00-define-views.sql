-- Creates or replaces a view. PostgreSQL can add columns to an existing view only at its end. So existing columns
-- keep their order, and new columns come last, wherever the query has them. Otherwise the view would have to be
-- dropped and created again, and readers could not use it meanwhile.
create or replace function migration.define_view(view text, query text)
returns void
language plpgsql
as $body$
declare
  columns text;
begin
  execute format('create temporary view defined as %s', query);
  select string_agg(format('defined.%I', wanted.attname), ', ' order by known.attnum nulls last, wanted.attnum)
  into columns
  from pg_attribute as wanted
  left join pg_attribute as known
    on known.attrelid = to_regclass(view)
    and known.attname = wanted.attname
    and not known.attisdropped
  where wanted.attrelid = 'pg_temp.defined'::regclass
    and wanted.attnum > 0;
  drop view pg_temp.defined;
  execute format('create or replace view %s as select %s from (%s) as defined', view, columns, query);
end
$body$;
comment on function migration.define_view(text, text) is 'Creates or replaces a view. The existing columns of the view keep their order, and new columns come last.';

-- Creates or replaces two views of the items of a content: published.<content>_by_run, which has a query with
-- `published.runs as run`, and published.<content>, which is the same as of the latest finished run. The second view reads
-- sync.last_finished_runs instead. With a condition on published.runs, PostgreSQL would expect one row for all integrations
-- together, and would join a thousand integrations in nested loops.
create or replace function migration.define_items(content text, query text)
returns void
language plpgsql
as $body$
declare
  of_latest text := replace(
    replace(query, 'published.runs as run', 'sync.last_finished_runs as run'), E'\n  run.is_latest,', ''
  );
begin
  perform migration.define_view(format('published.%s_by_run', content), query);
  perform migration.define_view(format('published.%s', content), of_latest);
end
$body$;
comment on function migration.define_items(text, text) is 'Creates or replaces two views of the items of a content: as of each finished run, and as of the latest finished run.';

-- Creates three functions that return the rows of published.<content>: as of a run, as of a point in time, and as of
-- either of them, written as text. PostgreSQL prefers the third one for a literal without a type, so that a literal needs
-- no cast. The functions have the columns of the view, in the same order. The planner inlines all three.
create or replace function migration.define_as_of(content text)
returns void
language plpgsql
as $body$
declare
  columns text;
begin
  select string_agg(format('item.%I', attname), ', ' order by attnum)
  into columns
  from pg_attribute
  where attrelid = format('published.%I', content)::regclass
    and attnum > 0
    and not attisdropped;
  execute format($template$
create or replace function published.%1$I(run uuid)
returns setof published.%2$I
language sql stable parallel safe
as $of$
select %4$s
from published.%3$I as item
where item.run_id = %1$I.run
$of$;

create or replace function published.%1$I(instant timestamptz)
returns setof published.%2$I
language sql stable parallel safe
as $of$
select %4$s
from sync.integrations as integration
cross join lateral (
  -- Includes purged runs. Otherwise, the function would return the items of an earlier run.
  select run.run_id
  from sync.runs as run
  where run.integration_id = integration.integration_id
    and run.status = 'finished'
    and run.finished_at <= %1$I.instant
  order by run.run_id desc
  limit 1
) as landed
join published.%3$I as item
  on item.integration_id = integration.integration_id
  and item.run_id = landed.run_id
$of$;

create or replace function published.%1$I(run_or_instant text)
returns setof published.%2$I
language sql stable parallel safe
as $of$
select %4$s
from published.%1$I(case when run_or_instant ~* '^[0-9a-f-]{36}$' then run_or_instant::uuid end) as item
union all
select %4$s
from published.%1$I(case when run_or_instant !~* '^[0-9a-f-]{36}$' then run_or_instant::timestamptz end) as item
$of$;

comment on function published.%1$I(uuid) is 'Returns the rows of published.%2$s as of a finished run. For any other run, the function returns no rows. Personal.';
comment on function published.%1$I(timestamptz) is 'Returns the rows of published.%2$s as of a point in time: for each integration, as of the last run that had finished by then. If that run was purged, the function returns no rows of the integration. Personal.';
comment on function published.%1$I(text) is 'Returns the rows of published.%2$s as of a finished run or a point in time, for example ''2031-05-04T10:00:00Z''. Personal.';
$template$, content || '_as_of', content, content || '_by_run', columns);
end
$body$;
comment on function migration.define_as_of(text) is 'Creates or replaces the functions that return the items of a content as of a run or a point in time, for example published.agenda_as_of.';
