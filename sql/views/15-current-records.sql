-- grain: integration, source, resource, current record. readers: checks
create or replace view sync.current_records as
select record.integration_id, 'a' as source, 'sessions' collate "C" as resource, array['agenda'] as contents, record.source_id
from staging.a_sessions as record
where record.valid_to_run is null
union all
select record.integration_id, 'a' as source, 'time_slots' as resource, array[]::text[] as contents, record.source_id
from staging.a_time_slots as record
where record.valid_to_run is null
union all
select record.integration_id, 'a' as source, 'rooms' as resource, array[]::text[] as contents, record.source_id
from staging.a_rooms as record
where record.valid_to_run is null
union all
select record.integration_id, 'a' as source, 'tracks' as resource, array[]::text[] as contents, record.source_id
from staging.a_tracks as record
where record.valid_to_run is null
union all
select record.integration_id, 'a' as source, 'session_types' as resource, array[]::text[] as contents, record.source_id
from staging.a_session_types as record
where record.valid_to_run is null
union all
select record.integration_id, 'a' as source, 'users' as resource, array['speakers', 'attendees'] as contents, record.source_id
from staging.a_users as record
where record.valid_to_run is null
union all
select record.integration_id, 'b' as source, 'sessions' as resource, array['agenda'] as contents, record.source_id
from staging.b_sessions as record
where record.valid_to_run is null
union all
select record.integration_id, 'b' as source, 'registrants' as resource, array['speakers', 'attendees'] as contents, record.source_id
from staging.b_registrants as record
where record.valid_to_run is null
union all
select record.integration_id, 'b' as source, 'reg_types' as resource, array[]::text[] as contents, record.source_id
from staging.b_reg_types as record
where record.valid_to_run is null;

comment on view sync.current_records is 'Every record that is current in staging, whatever its source: what checks look at. A new source adds its tables here.';
comment on column sync.current_records.integration_id is 'Integration.';
comment on column sync.current_records.source is 'Source, as in sync.integrations.';
comment on column sync.current_records.resource is 'Resource of the record.';
comment on column sync.current_records.contents is 'Contents for which the record gets a decision; none for a lookup.';
comment on column sync.current_records.source_id is 'Id of the record. Personal.';
