-- Which sessions have a different time now than as of an earlier run?
--
-- Change the run in parameters; null stands for the first finished run of each integration. An integration without a
-- finished run at that time has no rows. A time that was changed and changed back is not listed, and neither is a session
-- that is new or gone. Local times are in the zone that the session has now.
-- One integration: add `and latest.integration_id = 'summit'` to `since`.
with parameters as (
  select null::uuid as since_run
), since as materialized (
  select
    latest.integration_id,
    case
      when parameters.since_run is null then (
        select run.run_id
        from published.runs as run
        where run.integration_id = latest.integration_id
        order by run.run_id
        limit 1
      )
      else (
        select run.run_id
        from published.runs as run
        where run.integration_id = latest.integration_id
          and run.run_id <= parameters.since_run
        order by run.run_id desc
        limit 1
      )
    end as run_id
  from parameters
  cross join published.runs as latest
  where latest.is_latest
), earlier as (
  select item.integration_id, item.unique_id, item.start_time, item.end_time
  from since
  join published.agenda_by_run as item
    on item.integration_id = since.integration_id
    and item.run_id = since.run_id
)
select
  now_at.integration_id,
  now_at.unique_id,
  now_at.name,
  earlier.start_time as start_before,
  now_at.start_time,
  earlier.end_time as end_before,
  now_at.end_time,
  now_at.start_time - earlier.start_time as moved_by,
  published.local_time(earlier.start_time, now_at.time_zone) as local_start_before,
  now_at.local_start,
  published.local_time(earlier.end_time, now_at.time_zone) as local_end_before,
  now_at.local_end,
  now_at.time_zone
from earlier
join published.agenda as now_at
  on now_at.integration_id = earlier.integration_id
  and now_at.unique_id = earlier.unique_id
where (now_at.start_time, now_at.end_time) is distinct from (earlier.start_time, earlier.end_time)
order by now_at.integration_id, now_at.start_time, now_at.unique_id
