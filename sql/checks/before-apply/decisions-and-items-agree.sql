-- promise: every record that is decided as synced has a desired item, and every desired item has such a record.
-- rows mean: an item would be missing from the platform though its record is synced, or be there without a record.
-- to do: report it with the rows; the source is not the cause.
-- grain: integration, content, item. Contents that are no longer synced keep their decisions and items unchanged
-- made with: decisions
select
  run.integration_id,
  run.run_id,
  pair.content as subject,
  pair.id,
  case when pair.is_desired then 'desired, but not synced' else 'synced, but not desired' end as detail
from sync.last_planned_runs as run
cross join lateral (
  select
    coalesce(item.content, decision.content) as content,
    coalesce(item.unique_id, decision.source_id) as id,
    item.unique_id is not null as is_desired
  from (
    select content, source_id, unique_id
    from sync.decisions
    where integration_id = run.integration_id
      and decision = 'synced'
      and valid_to_run is null
  ) as decision
  full join (
    select content, unique_id
    from sync.desired_items
    where integration_id = run.integration_id
      and valid_to_run is null
  ) as item
    on item.content = decision.content
    and item.unique_id = decision.unique_id
  where item.unique_id is null
    -- An item has the id of its record.
    or item.unique_id is distinct from decision.source_id
) as pair
order by integration_id, run_id, subject, id
