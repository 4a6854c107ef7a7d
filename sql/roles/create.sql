-- The four roles of event-content-sync. Nobody logs in as one of them; logins are made members.
--
-- Run once on a server, as a user who may create roles; safe to run again:
--   psql "$ADMIN_URL" -f sql/roles/create.sql
--
--   event_sync_owner            owns the schema, upgrades it
--   event_sync_loader           runs `event-sync run`: reads and writes rows, changes no table, view or function
--   event_sync_reader           reads published views, without columns that can hold values of a person
--   event_sync_reader_personal  reads published views and staging, with them
--
-- A login that makes objects acts as its role, so that the objects belong to the role and not to one login:
--   create role deploy login password '…' in role event_sync_owner;
--   alter role deploy set role = event_sync_owner;
--   create role sync login password '…' in role event_sync_loader;
--   alter role sync set role = event_sync_loader;
--   create role ada login password '…' in role event_sync_reader;
--
-- Then, in each database: `grant create on database … to event_sync_owner`, any command of event-sync as `deploy`, which makes
-- the schema, and `sql/roles/grant.sql` as `deploy`. Where workers are to run, `event-sync schedule` as `deploy` before it, which
-- makes the queue.

do $$
declare
  needed text;
begin
  foreach needed in array array['event_sync_owner', 'event_sync_loader', 'event_sync_reader', 'event_sync_reader_personal'] loop
    if not exists (select from pg_roles where rolname = needed) then
      execute format('create role %I nologin', needed);
    end if;
  end loop;
end
$$;
