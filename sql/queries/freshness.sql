-- How fresh is each integration: when did a run last finish, and how did the last run end?
--
-- `age` is the time since the end of the last finished run; landed_start is the time at which that run began to read the
-- source. `state` and `reason` are those of `event-sync status`. `event-sync show` with the id in last_run says more.
-- One integration: add `where integration.integration_id = 'summit'`.
select
  integration.integration_id,
  integration.source,
  integration.state,
  integration.reason,
  landed.started_at as landed_start,
  integration.last_success_at as landed_end,
  date_trunc('second', now() - integration.last_success_at) as age,
  landed.certified,
  integration.next_due_at,
  integration.last_run_id as last_run,
  integration.last_run_status as last_status,
  integration.last_run_started_at as last_start
from published.integrations as integration
left join published.runs as landed
  on landed.integration_id = integration.integration_id
  and landed.run_id = integration.last_success_run_id
order by integration.integration_id
