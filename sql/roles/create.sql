-- Creates the four roles of event-content-sync. The roles cannot log in: logins become members of them.
--
-- Run this script once on a server, as a user who may create roles. You can safely run the script again:
--   psql "$ADMIN_URL" -f sql/roles/create.sql
--
--   event_sync_owner            owns the schemas and upgrades them
--   event_sync_loader           runs `event-sync run`: it reads and writes rows, and changes no table, view or function
--   event_sync_reader           reads the views of `published`, without the columns that may contain personal values
--   event_sync_reader_personal  reads the views of `published` and the tables of `staging`, with personal columns
--
-- A login that creates objects must act as its role, so that the objects belong to the role and not to the login:
--   create role deploy login password '…' in role event_sync_owner;
--   alter role deploy set role = event_sync_owner;
--   create role sync login password '…' in role event_sync_loader;
--   alter role sync set role = event_sync_loader;
--   create role ada login password '…' in role event_sync_reader;
--
-- Then follow these steps in each database:
--   1. Run `grant create on database … to event_sync_owner`.
--   2. Run any command of event-sync as `deploy`. The command creates the schemas.
--   3. If workers will run: run `event-sync schedule` as `deploy`. The command creates the queue.
--   4. Run `sql/roles/grant.sql` as `deploy`.

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
