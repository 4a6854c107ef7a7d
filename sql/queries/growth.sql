-- How did the event grow from run to run?
--
-- Items that the platform should have after each landed run, and how many more or fewer these are than after the one before.
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
