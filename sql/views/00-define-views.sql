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

-- Creates a function that returns the rows of published.<content> as of a run. The function has the columns of the
-- view, in the same order.
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
$of$
$template$, content || '_as_of', content, content || '_by_run', columns);
end
$body$;
comment on function migration.define_as_of(text) is 'Creates or replaces the function that returns the items of a content as of a run, for example published.agenda_as_of.';
