-- promise: a stored plan creates what is desired and not there, and its figures are those of its changes.
-- rows mean: the plan would leave the platform with more or fewer items than the run says.
-- to do: report it with the rows; `event-sync show RUN` has the plan.
-- grain: integration, content; of a last plan of which nothing was sent
select
  run.integration_id,
  run.run_id,
  content.content as subject,
  null::text as id,
  format(
    'create %s, update %s, remove %s, unchanged %s; planned create %s, update %s, remove %s; desired %s, on the platform %s, both %s',
    told.figures ->> 'create', told.figures ->> 'update', told.figures ->> 'remove', told.figures ->> 'unchanged',
    planned.creates, planned.updates, planned.removes,
    desired.items, known.items, shared.items
  ) as detail
from sync.last_planned_runs as run
cross join lateral unnest(run.contents) as content (content)
cross join lateral (select run.counts -> 'changes' -> content.content) as told (figures)
cross join lateral (
  select
    count(*) filter (where change.action = 'create') as creates,
    count(*) filter (where change.action = 'update') as updates,
    count(*) filter (where change.action = 'remove') as removes
  from sync.changes as change
  where change.integration_id = run.integration_id
    and change.run_id = run.run_id
    and change.content = content.content
) as planned
cross join lateral (
  select count(*) as items
  from sync.desired_items as item
  where item.integration_id = run.integration_id
    and item.content = content.content
    and item.valid_to_run is null
) as desired
cross join lateral (
  select count(*) as items
  from sync.platform_items as item
  where item.integration_id = run.integration_id
    and item.content = content.content
) as known
cross join lateral (
  select count(*) as items
  from sync.platform_items as item
  join sync.desired_items as wanted
    on wanted.integration_id = item.integration_id
    and wanted.content = item.content
    and wanted.unique_id = item.unique_id
    and wanted.valid_to_run is null
  where item.integration_id = run.integration_id
    and item.content = content.content
) as shared
where run.is_current
  and run.status in ('planned', 'held', 'applying')
  and (
    planned.creates = desired.items - shared.items
    and planned.updates <= shared.items
    and planned.removes <= known.items - shared.items
    and (told.figures ->> 'create')::bigint = planned.creates
    and (told.figures ->> 'update')::bigint = planned.updates
    and (told.figures ->> 'remove')::bigint = planned.removes
    and (told.figures ->> 'unchanged')::bigint = shared.items - planned.updates
  ) is not true
order by integration_id, run_id, subject
