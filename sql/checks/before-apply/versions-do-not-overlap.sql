-- promise: each record, each decision and each desired item has at most one version at a time.
-- rows mean: a version began while an earlier one was still valid, so the history contradicts itself.
-- to do: report it with the rows; the source is not the cause.
-- grain: integration, version that began too early. For one run, the indexes …_by_run find the versions that it wrote
select version.integration_id, version.valid_from_run as run_id, version.resource as subject, version.source_id as id,
  'valid beside an earlier version' as detail
from sync.runs as run
-- A first run has no earlier version, so this join skips all lookups.
cross join lateral (
  select
  from sync.records as earlier
  where earlier.integration_id = run.integration_id
    and earlier.valid_from_run < run.run_id
  order by earlier.valid_from_run
  limit 1
) as before
join sync.records as version
  on version.integration_id = run.integration_id
  and version.valid_from_run = run.run_id
where exists (
  select
  from sync.records as earlier
  where earlier.integration_id = version.integration_id
    and earlier.source = version.source
    and earlier.resource = version.resource
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
  -- `offset 0` makes this subquery a lookup by key. As a join, it would sort the history of every table, even for a
  -- small run.
  offset 0
)
union all
select version.integration_id, version.valid_from_run, version.content, version.source_id,
  'decision valid beside an earlier one'
from sync.runs as run
cross join lateral (
  select
  from sync.decisions as earlier
  where earlier.integration_id = run.integration_id
    and earlier.valid_from_run < run.run_id
  order by earlier.valid_from_run
  limit 1
) as before
join sync.decisions as version
  on version.integration_id = run.integration_id
  and version.valid_from_run = run.run_id
where exists (
  select
  from sync.decisions as earlier
  where earlier.integration_id = version.integration_id
    and earlier.content = version.content
    and earlier.source_id = version.source_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
  offset 0
)
union all
select version.integration_id, version.valid_from_run, version.content, version.unique_id,
  'desired item valid beside an earlier version'
from sync.runs as run
cross join lateral (
  select
  from sync.desired_items as earlier
  where earlier.integration_id = run.integration_id
    and earlier.valid_from_run < run.run_id
  order by earlier.valid_from_run
  limit 1
) as before
join sync.desired_items as version
  on version.integration_id = run.integration_id
  and version.valid_from_run = run.run_id
where exists (
  select
  from sync.desired_items as earlier
  where earlier.integration_id = version.integration_id
    and earlier.content = version.content
    and earlier.unique_id = version.unique_id
    and earlier.valid_from_run < version.valid_from_run
    and (earlier.valid_to_run is null or earlier.valid_to_run > version.valid_from_run)
  offset 0
)
order by integration_id, run_id, subject, id
