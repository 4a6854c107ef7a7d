-- What did a run change on the platform, item by item and field by field?
--
-- Change the run in parameters; null stands for the latest finished run of each integration that changed anything. The
-- fields of new and of removed items are listed, too: to see only updates, add `and change.action = 'update'`.
-- One integration: add `and change.integration_id = 'summit'` to `asked`.
with parameters as (
  select null::uuid as run_id
), asked as (
  select change.integration_id, max(change.run_id::text)::uuid as run_id
  from published.changes as change
  cross join parameters
  where change.run_id = coalesce(parameters.run_id, change.run_id)
  group by change.integration_id
)
select
  change.integration_id,
  change.run_id,
  change.content,
  change.unique_id,
  change.action,
  change.reason,
  change.field,
  change.before,
  change.after,
  result.status
from asked
join published.changes as change
  on change.integration_id = asked.integration_id
  and change.run_id = asked.run_id
join published.load_results as result
  on result.integration_id = change.integration_id
  and result.run_id = change.run_id
  and result.content = change.content
  and result.unique_id = change.unique_id
order by change.integration_id, result.seq, change.field
