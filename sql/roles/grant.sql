-- Grants the roles of sql/roles/create.sql the rights that they need in this database, and revokes all other rights.
--
-- Run this script as the owner of the schemas, and again after each upgrade. Before that, readers cannot see new
-- columns. You can safely run the script twice:
--   psql "$OWNER_URL" -f sql/roles/grant.sql
--
-- event_sync_reader cannot read a column if its comment ends with "Personal.", or if it has no comment.

begin;

revoke all on schema staging, incoming, sync, published, migration from public;
revoke all on schema staging, incoming, sync, published, migration
  from event_sync_loader, event_sync_reader, event_sync_reader_personal;
revoke all on all tables in schema staging, sync, published, migration
  from public, event_sync_loader, event_sync_reader, event_sync_reader_personal;
revoke all on all functions in schema staging, sync, published
  from public, event_sync_loader, event_sync_reader, event_sync_reader_personal;

grant usage on schema staging, sync, published, migration to event_sync_loader;
grant usage, create on schema incoming to event_sync_loader;
grant select, insert, update, delete on all tables in schema staging, sync to event_sync_loader;
grant select on all tables in schema published, migration to event_sync_loader;
grant execute on all functions in schema staging, sync, published to event_sync_loader;

grant usage on schema staging, published, migration to event_sync_reader_personal;
grant select on all tables in schema staging, published, migration to event_sync_reader_personal;
grant execute on all functions in schema staging, published to event_sync_reader_personal;

-- Columns of `sync` that sql/queries and the functions `…_as_of` need: which items the platform lacks, and when runs
-- finished.
grant usage on schema sync to event_sync_reader_personal;
grant select (integration_id) on sync.integrations to event_sync_reader_personal;
grant select (integration_id, run_id, status, finished_at) on sync.runs to event_sync_reader_personal;
grant select (integration_id, content, unique_id, fields, valid_from_run, valid_to_run) on sync.desired_items
  to event_sync_reader_personal;
grant select (integration_id, content, unique_id, fields) on sync.platform_items to event_sync_reader_personal;
grant select (integration_id, run_id, content, unique_id, state, code, retryable) on sync.changes
  to event_sync_reader_personal;

grant usage on schema published, migration to event_sync_reader;
grant select on all tables in schema migration to event_sync_reader;
-- A view calls functions with the rights of its reader, so the reader needs these rights. The functions do not run
-- with the rights of their owner: a function that reads personal columns fails for this role.
grant execute on all functions in schema published to event_sync_reader;

-- The queue exists only after the owner has run `event-sync schedule` or `event-sync worker`. Readers get no rights
-- to it.
do $$
begin
  if to_regnamespace('queue') is not null then
    revoke all on schema queue from public, event_sync_reader, event_sync_reader_personal;
    grant usage on schema queue to event_sync_loader;
    grant select, insert, update, delete on all tables in schema queue to event_sync_loader;
    grant execute on all functions in schema queue to event_sync_loader;
  end if;
end
$$;

do $$
declare
  granted record;
begin
  for granted in
    select view.oid::regclass as name, column_of.attname as of_column, col_description(view.oid, column_of.attnum) as meaning
    from pg_class as view
    join pg_attribute as column_of on column_of.attrelid = view.oid and column_of.attnum > 0 and not column_of.attisdropped
    where view.relnamespace = 'published'::regnamespace and view.relkind = 'v'
  loop
    if granted.meaning not like '%Personal.' then
      execute format('grant select (%I) on %s to event_sync_reader', granted.of_column, granted.name);
    end if;
  end loop;
end
$$;

commit;
