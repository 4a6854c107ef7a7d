-- readers: the product. Only the owner of a table may update its statistics, and the product may run as another user.
create or replace function sync.refresh_statistics(written regclass) returns void
language plpgsql
security definer
set search_path = pg_catalog
-- A target of 20 samples 6,000 rows, which is enough to distinguish small tables from large ones.
set default_statistics_target = 20
as $$
begin
  -- Leaves out documents and hashes: no query searches them, and they take the longest to sample.
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

comment on function sync.refresh_statistics(regclass) is 'Updates the planner statistics of a table after many rows were written. The function runs with the rights of the owner of the schema.';
