-- Records as the sources have them. The tables of staging follow from what the sources declare.

create schema staging;
comment on schema staging is 'Records of the sources as read, one row for each version, with history. Current rows: valid_to_run is null.';

create schema incoming;
comment on schema incoming is 'Records of runs that are being read; a table a run and resource, dropped when it is merged into staging. Not for readers.';

create table migration.resources (
  table_name text primary key,
  source text collate "C" not null,
  resource text collate "C" not null,
  contents text[] not null,
  needed_for text[] not null
);
comment on table migration.resources is 'Resources of the sources that this database knows, with their tables in staging.';
comment on column migration.resources.table_name is 'Table of staging that holds the records.';
comment on column migration.resources.source is 'Source, as in sync.integrations.';
comment on column migration.resources.resource is 'Name of the resource.';
comment on column migration.resources.contents is 'Contents for which its records get a decision; none for a lookup.';
comment on column migration.resources.needed_for is 'Contents that cannot be known to be complete unless it was read completely.';

create table migration.sources (
  source text collate "C" primary key,
  stated_reasons text[] not null
);
comment on table migration.sources is 'Sources that this database knows.';
comment on column migration.sources.source is 'Source, as in sync.integrations.';
comment on column migration.sources.stated_reasons is 'Reasons for which a record itself says that its item goes.';

-- Comes last when a staging table is made or changed. Later views look at all tables when they are made.
create function migration.staging_changed(table_name text, source text, resource text, contents text[], needed_for text[])
returns void
language plpgsql
as $body$
begin
  insert into migration.resources as known (table_name, source, resource, contents, needed_for)
  values (staging_changed.table_name, staging_changed.source, staging_changed.resource, staging_changed.contents, staging_changed.needed_for)
  on conflict on constraint resources_pkey do update
  set source = excluded.source, resource = excluded.resource, contents = excluded.contents, needed_for = excluded.needed_for;
  if to_regprocedure('migration.define_history(text)') is not null then
    perform migration.define_history(staging_changed.table_name);
  end if;
  if to_regprocedure('migration.define_records()') is not null then
    perform migration.define_records();
  end if;
end
$body$;
comment on function migration.staging_changed(text, text, text, text[], text[]) is 'Notes a staging table, and makes what hangs on it.';
