-- Which items were removed from the platform and came back later?
--
-- One row for each removal that was followed by a return. Only finished runs count, and only operations that the platform
-- applied. If an item comes back often, the source may show and hide its record again and again.
-- One integration: add `and integration_id = 'summit'` to `gone`.
with gone as materialized (
  select integration_id, content, unique_id, run_id
  from published.load_results
  where op = 'remove'
    and status = 'applied'
)
select
  gone.integration_id,
  gone.content,
  gone.unique_id,
  gone.run_id as removed_in_run,
  min(back.run_id::text)::uuid as back_in_run
from gone
join published.load_results as back
  on back.integration_id = gone.integration_id
  and back.content = gone.content
  and back.unique_id = gone.unique_id
  and back.op = 'upsert'
  and back.status = 'applied'
  and back.run_id > gone.run_id
group by gone.integration_id, gone.content, gone.unique_id, gone.run_id
order by gone.integration_id, gone.content, gone.unique_id, gone.run_id
