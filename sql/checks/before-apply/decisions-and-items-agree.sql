-- promise: every record that is decided as synced has a desired item, and every desired item has such a record.
-- rows mean: an item would be missing from the platform though its record is synced, or be there without a record.
-- to do: report it with the rows; the source is not the cause.
-- grain: integration, content, item. Contents that are no longer synced keep both as they were
select run.integration_id, run.run_id, decision.content as subject, decision.source_id as id, 'synced, but not desired' as detail
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.decision = 'synced'
  and decision.valid_to_run is null
where not exists (
  select
  from sync.desired_items as item
  where item.integration_id = decision.integration_id
    and item.content = decision.content
    and item.unique_id = decision.unique_id
    and item.valid_to_run is null
)
union all
select run.integration_id, run.run_id, item.content, item.unique_id, 'desired, but not synced'
from sync.last_planned_runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.valid_to_run is null
where not exists (
  select
  from sync.decisions as decision
  where decision.integration_id = item.integration_id
    and decision.content = item.content
    -- An item has the id of its record, by which decisions are found.
    and decision.source_id = item.unique_id
    and decision.unique_id = item.unique_id
    and decision.decision = 'synced'
    and decision.valid_to_run is null
)
order by integration_id, run_id, subject, id
