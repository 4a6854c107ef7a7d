-- What did the platform reject, and what is still missing on the platform?
--
-- Lists the items that the platform should have as of the latest finished run, but does not have, or has with other fields.
-- `code` and `retryable` are from its last rejection of the item; null if it never rejected the item. Every run sends
-- rejected items again.
-- One integration: add `and run.integration_id = 'summit'`.
select
  run.integration_id,
  item.content,
  item.unique_id,
  case when known.unique_id is null then 'missing' else 'not up to date' end as state,
  refused.code,
  refused.retryable,
  refused.run_id as rejected_in_run
from published.runs as run
cross join lateral unnest(run.contents) as synced (content)
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = synced.content
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
left join sync.platform_items as known
  on known.integration_id = item.integration_id
  and known.content = item.content
  and known.unique_id = item.unique_id
left join lateral (
  select change.code, change.retryable, change.run_id
  from sync.changes as change
  where change.integration_id = item.integration_id
    and change.content = item.content
    and change.unique_id = item.unique_id
    and change.run_id <= run.run_id
    and change.state = 'failed'
  order by change.run_id desc
  limit 1
) as refused on true
where run.is_latest
  and known.fields is distinct from item.fields
order by run.integration_id, item.content, item.unique_id
