-- grain: integration, source, resource, version of a record. readers: checks
create or replace view sync.records as
select record.integration_id, 'a' as source, 'sessions' collate "C" as resource, array['agenda'] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.a_sessions as record
union all
select record.integration_id, 'a' as source, 'time_slots' as resource, array[]::text[] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.a_time_slots as record
union all
select record.integration_id, 'a' as source, 'rooms' as resource, array[]::text[] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.a_rooms as record
union all
select record.integration_id, 'a' as source, 'tracks' as resource, array[]::text[] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.a_tracks as record
union all
select record.integration_id, 'a' as source, 'session_types' as resource, array[]::text[] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.a_session_types as record
union all
select record.integration_id, 'a' as source, 'users' as resource, array['speakers', 'attendees'] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.a_users as record
union all
select record.integration_id, 'b' as source, 'sessions' as resource, array['agenda'] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.b_sessions as record
union all
select record.integration_id, 'b' as source, 'registrants' as resource, array['speakers', 'attendees'] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.b_registrants as record
union all
select record.integration_id, 'b' as source, 'reg_types' as resource, array[]::text[] as contents,
  record.source_id, record.valid_from_run, record.valid_to_run
from staging.b_reg_types as record;

comment on view sync.records is 'Every version of every record in staging, whatever its source: what checks look at. A new source adds its tables here.';
comment on column sync.records.integration_id is 'Integration.';
comment on column sync.records.source is 'Source, as in sync.integrations.';
comment on column sync.records.resource is 'Resource of the record.';
comment on column sync.records.contents is 'Contents for which the record gets a decision; none for a lookup.';
comment on column sync.records.source_id is 'Id of the record. Personal.';
comment on column sync.records.valid_from_run is 'First run that saw this version.';
comment on column sync.records.valid_to_run is 'First run that no longer saw it; null while it is current.';
