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
comment on function migration.define_records() is 'Makes or replaces sync.records.';

select migration.define_records();

comment on view sync.records is 'Every version of every record in staging, no matter what its source: what checks look at.';
comment on column sync.records.integration_id is 'Integration.';
comment on column sync.records.source is 'Source, as in sync.integrations.';
comment on column sync.records.resource is 'Resource of the record.';
comment on column sync.records.contents is 'Contents for which the record gets a decision; none for a lookup.';
comment on column sync.records.source_id is 'Id of the record. Personal.';
comment on column sync.records.valid_from_run is 'First run that saw this version.';
comment on column sync.records.valid_to_run is 'First run that no longer saw it; null while it is current.';
