-- promise: a stored plan creates each desired item that is not on the platform, and its figures count its changes correctly.
-- rows mean: the platform would have more or fewer items after the plan than the run reports.
-- to do: report it with the rows; `event-sync show RUN` has the plan.
-- grain: integration, content of the last stored plan, if no change of the plan was recorded as applied since
-- made with: plan
select
  run.integration_id,
  run.run_id,
  part.content as subject,
  null::text as id,
  format(
    'create %s, update %s, handover %s, remove %s, unchanged %s; planned create %s, update %s, handover %s, remove %s; desired %s, on the platform %s, both %s',
    told.figures ->> 'create', told.figures ->> 'update', coalesce(told.figures ->> 'handover', '0'),
    told.figures ->> 'remove', told.figures ->> 'unchanged',
    planned.creates, planned.updates, planned.handovers, planned.removes,
    items.desired, items.known, items.shared
  ) as detail
from sync.last_planned_runs as run
cross join lateral unnest(run.contents) as part (content)
cross join lateral (select run.counts -> 'changes' -> part.content) as told (figures)
cross join lateral (
  select
    count(*) filter (where change.action = 'create') as creates,
    count(*) filter (where change.action = 'update') as updates,
    count(*) filter (where change.action = 'handover') as handovers,
    count(*) filter (where change.action = 'remove') as removes
  from sync.changes as change
  where change.integration_id = run.integration_id
    and change.run_id = run.run_id
    and change.content = part.content
) as planned
cross join lateral (
  select count(wanted.unique_id) as desired, count(known.unique_id) as known,
    count(*) filter (where wanted.unique_id = known.unique_id) as shared
  from (
    select unique_id
    from sync.desired_items
    where integration_id = run.integration_id
      and content = part.content
      and valid_to_run is null
  ) as wanted
  full join (
    select unique_id
    from sync.platform_items
    where integration_id = run.integration_id
      and content = part.content
  ) as known
    on known.unique_id = wanted.unique_id
) as items
where run.is_current
  and run.status in ('planned', 'held', 'applying')
  and (
    planned.creates = items.desired - items.shared
    and planned.updates + planned.handovers <= items.shared
    and planned.removes <= items.known - items.shared
    and (told.figures ->> 'create')::bigint = planned.creates
    and (told.figures ->> 'update')::bigint = planned.updates
    and coalesce((told.figures ->> 'handover')::bigint, 0) = planned.handovers
    and (told.figures ->> 'remove')::bigint = planned.removes
    and (told.figures ->> 'unchanged')::bigint = items.shared - planned.updates - planned.handovers
  ) is not true
order by integration_id, run_id, subject
