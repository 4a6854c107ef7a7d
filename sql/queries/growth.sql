-- How did the event grow from run to run?
--
-- `items` is the number of items that the platform should have after each finished run. `more` is the difference from the
-- previous run.
-- One integration: add `where run.integration_id = 'summit'` before `window`.
select
  run.integration_id,
  run.run_id,
  run.started_at,
  content.content,
  content.items,
  content.items - lag(content.items) over runs as more,
  content.creates,
  content.updates,
  content.removes
from published.runs as run
cross join lateral (
  select
    counted.content,
    (figures ->> 'create')::bigint + (figures ->> 'update')::bigint + (figures ->> 'unchanged')::bigint as items,
    (figures ->> 'create')::bigint as creates,
    (figures ->> 'update')::bigint as updates,
    (figures ->> 'remove')::bigint as removes
  from jsonb_each(run.counts -> 'changes') as counted (content, figures)
) as content
window runs as (partition by run.integration_id, content.content order by run.run_id)
order by run.integration_id, content.content, run.run_id
