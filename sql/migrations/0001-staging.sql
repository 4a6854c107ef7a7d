-- Schemas for the records of sources. The tables in staging are made from the declarations of the sources.

create schema staging;
comment on schema staging is 'Records of the sources with their history: one row for each version of a record. A row is current if its valid_to_run is null.';

create schema incoming;
comment on schema incoming is 'Records that runs are reading now: one table for each run and resource. The product drops a table after it has merged the rows into staging. Readers should not use this schema.';

create table migration.resources (
  table_name text primary key,
  source text collate "C" not null,
  resource text collate "C" not null,
  contents text[] not null,
  needed_for text[] not null
);
comment on table migration.resources is 'One row for each resource of a known source, with its table in staging.';
comment on column migration.resources.table_name is 'Name of the staging table that has the records of the resource.';
comment on column migration.resources.source is 'Type of the source, as in sync.integrations.';
comment on column migration.resources.resource is 'Name of the resource, for example users.';
comment on column migration.resources.contents is 'Contents for which each record gets a decision; empty for resources that only serve other resources, such as rooms.';
comment on column migration.resources.needed_for is 'Contents that are complete only if the run read this resource completely.';

create table migration.sources (
  source text collate "C" primary key,
  stated_reasons text[] not null
);
comment on table migration.sources is 'One row for each type of source that this database knows.';
comment on column migration.sources.source is 'Type of the source, as in sync.integrations.';
comment on column migration.sources.stated_reasons is 'Reasons for a removal that a record itself states, for example cancelled.';

-- Runs last when a staging table is created or changed. The functions that it calls are created later, with the views.
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
comment on function migration.staging_changed(text, text, text, text[], text[]) is 'Records a staging table in migration.resources, and creates or replaces the functions and views that depend on it.';
