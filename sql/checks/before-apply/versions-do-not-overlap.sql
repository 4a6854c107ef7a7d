-- promise: a record, a decision and a desired item have one version at a time.
-- rows mean: a version began while an earlier one was still valid, so the history tells two stories of one run.
-- to do: report it with the rows; nothing at the source causes it.
-- grain: integration, version that began too early
select version.integration_id, version.valid_from_run as run_id, 'a_sessions' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.a_sessions as version
where exists (
  select
  from staging.a_sessions as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'a_time_slots' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.a_time_slots as version
where exists (
  select
  from staging.a_time_slots as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'a_rooms' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.a_rooms as version
where exists (
  select
  from staging.a_rooms as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'a_tracks' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.a_tracks as version
where exists (
  select
  from staging.a_tracks as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'a_session_types' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.a_session_types as version
where exists (
  select
  from staging.a_session_types as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'a_users' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.a_users as version
where exists (
  select
  from staging.a_users as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'b_sessions' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.b_sessions as version
where exists (
  select
  from staging.b_sessions as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'b_registrants' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.b_registrants as version
where exists (
  select
  from staging.b_registrants as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run as run_id, 'b_reg_types' as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from staging.b_reg_types as version
where exists (
  select
  from staging.b_reg_types as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run, version.content, version.source_id,
  'decision valid beside an earlier one'
from sync.decisions as version
where exists (
  select
  from sync.decisions as earlier
  where earlier.integration_id = version.integration_id
    and earlier.content = version.content
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
union all
select version.integration_id, version.valid_from_run, version.content, version.unique_id,
  'desired item valid beside an earlier version'
from sync.desired_items as version
where exists (
  select
  from sync.desired_items as earlier
  where earlier.integration_id = version.integration_id
    and earlier.content = version.content
    and earlier.unique_id = version.unique_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
)
order by integration_id, run_id, subject, id
