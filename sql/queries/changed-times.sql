-- Which sessions have another time now than as of an earlier run?
--
-- Change the run in parameters; null is the landed run before the latest of each integration. A time that was changed and
-- changed back is not told, nor is a session that is new or gone.
-- One integration: add `and now_at.integration_id = 'summit'`.
with parameters as (
  select null::uuid as since_run
), since as (
  select run.integration_id, max(run.run_id::text)::uuid as run_id
  from published.runs as run
  cross join parameters
  where case
    when parameters.since_run is null then not run.is_latest
    else run.run_id <= parameters.since_run
  end
  group by run.integration_id
)
select
  now_at.integration_id,
  now_at.unique_id,
  now_at.name,
  (item.fields ->> 'startTime')::timestamptz as start_before,
  now_at.start_time,
  (item.fields ->> 'endTime')::timestamptz as end_before,
  now_at.end_time,
  now_at.start_time - (item.fields ->> 'startTime')::timestamptz as moved_by
from since
join sync.desired_items as item
  on item.integration_id = since.integration_id
  and item.content = 'agenda'
  and item.valid_from_run <= since.run_id
  and (item.valid_to_run is null or item.valid_to_run > since.run_id)
join published.agenda as now_at
  on now_at.integration_id = item.integration_id
  and now_at.unique_id = item.unique_id
where (now_at.start_time, now_at.end_time)
  is distinct from ((item.fields ->> 'startTime')::timestamptz, (item.fields ->> 'endTime')::timestamptz)
order by now_at.integration_id, now_at.start_time, now_at.unique_id
