-- Takes from everyone who is not a superuser the rights to make temporary tables and large objects in an embedded
-- database. PostgreSQL grants these rights to everyone. `event-sync serve-database` runs this script each time it starts,
-- after create.sql and grant.sql.

do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
end
$$;
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;

-- A role may change the defaults of its own sessions.
alter role event_sync_reader reset all;
alter role event_sync_reader_personal reset all;
