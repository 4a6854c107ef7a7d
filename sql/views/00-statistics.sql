-- readers: the product. A table's statistics are its owner's to refresh, and the product need not run as the owner.
create or replace function sync.refresh_statistics(written regclass) returns void
language plpgsql
security definer
set search_path = pg_catalog
-- A sample of 6,000 rows is enough to tell few rows from many.
set default_statistics_target = 20
as $$
begin
  -- No query looks for a whole document or a hash, and these are what it takes longest to sample.
  execute (
    select format('analyze %s (%s)', written, string_agg(quote_ident(attname), ', ' order by attnum))
    from pg_attribute
    where attrelid = written
      and attnum > 0
      and not attisdropped
      and atttypid not in ('jsonb'::regtype, 'bytea'::regtype)
  );
end
$$;

revoke all on function sync.refresh_statistics(regclass) from public;

comment on function sync.refresh_statistics(regclass) is 'Tells the planner about a table into which many rows were just written, with the rights of the schema''s owner.';
