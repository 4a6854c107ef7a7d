-- grain: integration, source, resource, version of a record. readers: checks
create or replace function migration.define_records()
returns void
language plpgsql
as $define$
begin
  execute 'create or replace view sync.records as ' || (
    select string_agg(
      format(
        'select record.integration_id, %L::text as source, %L::text collate "C" as resource, %L::text[] as contents, record.source_id, record.valid_from_run, record.valid_to_run from staging.%I as record',
        source, resource, contents, table_name
      ),
      ' union all ' order by table_name
    )
    from migration.resources
  );
end
$define$;
comment on function migration.define_records() is 'Creates or replaces the view sync.records.';

select migration.define_records();

comment on view sync.records is 'Every version of every record in staging, from all sources. The checks read this view.';
comment on column sync.records.integration_id is 'Id of the integration.';
comment on column sync.records.source is 'Type of the source, as in sync.integrations.';
comment on column sync.records.resource is 'Name of the resource of the record.';
comment on column sync.records.contents is 'Contents for which the record gets a decision; empty for records that only serve other records, such as rooms.';
comment on column sync.records.source_id is 'Id of the record. Personal.';
comment on column sync.records.valid_from_run is 'First run that read this version of the record.';
comment on column sync.records.valid_to_run is 'First run that no longer read this version of the record; null while the version is current.';
