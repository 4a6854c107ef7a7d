-- How fresh is each integration: when did a run last finish, and how did the last run end?
--
-- `age` is the time since the end of the last finished run; landed_start is the time at which that run began to read the
-- source. If last_status is not finished, `event-sync show` with the id in last_run says why.
-- One integration: add `where integration.integration_id = 'summit'`.
select
  integration.integration_id,
  integration.source,
  landed.started_at as landed_start,
  landed.finished_at as landed_end,
  date_trunc('second', now() - landed.finished_at) as age,
  landed.certified,
  last.run_id as last_run,
  last.status as last_status,
  last.started_at as last_start,
  last.held ->> 'guard' as held_by
from sync.integrations as integration
left join published.runs as landed
  on landed.integration_id = integration.integration_id
  and landed.is_latest
left join lateral (
  select run.run_id, run.status, run.started_at, run.held
  from sync.runs as run
  where run.integration_id = integration.integration_id
  order by run.run_id desc
  limit 1
) as last on true
order by integration.integration_id
