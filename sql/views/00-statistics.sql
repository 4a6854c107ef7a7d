-- readers: the product. A table's statistics are its owner's to refresh, and the product need not run as the owner.
create or replace function sync.refresh_statistics(written regclass) returns void
language plpgsql
security definer
set search_path = pg_catalog
as $$
begin
  execute format('analyze %s', written);
end
$$;

revoke all on function sync.refresh_statistics(regclass) from public;

comment on function sync.refresh_statistics(regclass) is 'Tells the planner about a table into which many rows were just written, with the rights of the schema''s owner.';
