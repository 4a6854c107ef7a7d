-- How did the event grow from run to run?
--
-- Lists the last finished runs of each integration: change their number in parameters. `items` is the number of items that
-- the platform should have after the run. `more` is the difference from the previous run; null in the first listed run.
-- One integration: add `and latest.integration_id = 'summit'` to `run`.
with parameters as (
  select 10 as runs
), run as (
  select listed.integration_id, listed.run_id, listed.started_at, listed.counts
  from parameters
  cross join published.runs as latest
  cross join lateral (
    select run.integration_id, run.run_id, run.started_at, run.counts
    from published.runs as run
    where run.integration_id = latest.integration_id
    order by run.run_id desc
    limit parameters.runs
  ) as listed
  where latest.is_latest
)
select
  run.integration_id,
  run.run_id,
  run.started_at,
  counted.content,
  item.items,
  item.items - lag(item.items) over runs as more,
  figures."create" as creates,
  figures."update" as updates,
  figures.remove as removes
from run
cross join lateral jsonb_each(run.counts -> 'changes') as counted (content, figures)
cross join lateral jsonb_to_record(counted.figures)
  as figures ("create" bigint, "update" bigint, handover bigint, remove bigint, unchanged bigint)
cross join lateral (
  select figures."create" + figures."update" + coalesce(figures.handover, 0) + figures.unchanged
) as item (items)
window runs as (partition by run.integration_id, counted.content order by run.run_id)
order by run.integration_id, counted.content, run.run_id
