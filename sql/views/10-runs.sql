-- grain: integration, finished run. readers: analysts, the other views
create or replace view published.runs as
select
  run.integration_id,
  run.run_id,
  run.started_at,
  run.planned_at,
  run.applied_at,
  run.finished_at,
  run.contents,
  run.certified,
  run.plan_hash,
  run.counts,
  run.product_version,
  run.run_id = latest.run_id as is_latest,
  (
    select earlier.run_id
    from sync.runs as earlier
    where earlier.integration_id = run.integration_id
      and earlier.status = 'finished'
      and earlier.purged_at is null
      and earlier.run_id < run.run_id
    order by earlier.run_id desc
    limit 1
  ) as run_before,
  run.rollback_to
from sync.integrations as integration
-- One subquery for each integration, not for each run. With this, `where is_latest` reads one run of each integration.
cross join lateral (
  select last.run_id
  from sync.runs as last
  where last.integration_id = integration.integration_id
    and last.status = 'finished'
  order by last.run_id desc
  limit 1
) as latest
join sync.runs as run
  on run.integration_id = integration.integration_id
where run.status = 'finished'
  and run.purged_at is null;

comment on view published.runs is 'Finished runs whose data was not purged. The platform has answered every operation of the plan of each run. In counts, withheld is the number of planned removals that the run did not send. Key: integration_id, run_id.';
comment on column published.runs.integration_id is 'Id of the integration.';
comment on column published.runs.run_id is 'Id of the run, a UUIDv7: later runs have greater ids.';
comment on column published.runs.started_at is 'Time at which the run started.';
comment on column published.runs.planned_at is 'Time at which the plan was stored.';
comment on column published.runs.applied_at is 'Time at which the platform had answered every planned change.';
comment on column published.runs.finished_at is 'Time at which the run ended.';
comment on column published.runs.contents is 'Contents that the run planned: agenda, speakers or attendees.';
comment on column published.runs.certified is 'True if it is proved that the run read every resource completely.';
comment on column published.runs.plan_hash is 'SHA-256 of the plan.';
comment on column published.runs.counts is 'Figures of the run, as run --json prints them: changes by content and action, excluded records by reason, quarantined records.';
comment on column published.runs.product_version is 'Version of event-content-sync that made the run.';
comment on column published.runs.is_latest is 'True for the last finished run of its integration. The other views show this run. If a later run only planned, or if its plan was held, the current rows of staging belong to the later run.';
comment on column published.runs.rollback_to is 'Run whose state a rollback restored: after this run, the platform had the items of the rollback. rollback_to is null for all other runs.';
comment on column published.runs.run_before is 'Previous finished run of the integration; null for the first run, and if the previous run was purged.';

-- grain: integration, run that was purged. readers: analysts
create or replace view published.purged_runs as
select
  run.integration_id,
  run.run_id,
  run.started_at,
  run.applied_at,
  run.purged_at
from sync.runs as run
where run.purged_at is not null;

comment on view published.purged_runs is 'Runs whose data was purged. A query as of a purged run returns no rows. The views published.runs and staging.runs do not contain purged runs. Key: integration_id, run_id.';
comment on column published.purged_runs.integration_id is 'Id of the integration.';
comment on column published.purged_runs.run_id is 'Id of the run.';
comment on column published.purged_runs.started_at is 'Time at which the run started.';
comment on column published.purged_runs.applied_at is 'Time at which the platform had answered every planned change; null if nothing was sent.';
comment on column published.purged_runs.purged_at is 'Time at which the run was purged.';

-- grain: integration, action of an operator. readers: auditors, analysts
create or replace view published.actions as
select
  action.integration_id,
  action.action_id,
  action.action,
  action.made_at,
  action.made_by,
  action.reason,
  action.until,
  action.run_id,
  action.detail
from sync.actions as action;

comment on view published.actions is 'Actions of operators on integrations, as event-sync log prints them. Examples are approvals, pauses, rollbacks, suppressions and renamings. Only event-sync erase deletes rows, together with all rows of the integration. Key: integration_id, action_id.';
comment on column published.actions.integration_id is 'Id of the integration.';
comment on column published.actions.action_id is 'Id of the action, a UUIDv7: later actions have greater ids.';
comment on column published.actions.action is 'Kind of the action. One of: approved, paused, rolled_back, resumed, suppressed, unsuppressed, forgotten, purged, renamed, moved, rebound, key_added, key_changed, key_removed, misses_confirmed.';
comment on column published.actions.made_at is 'Time of the action.';
comment on column published.actions.made_by is 'User of the operating system who ran the command or, for an approved plan, who approved the plan. Personal.';
comment on column published.actions.reason is 'Reason that the operator gave; null if the operator gave no reason. Personal.';
comment on column published.actions.until is 'Time at which a pause ends without event-sync resume; null if the pause has no such time, and for other actions.';
comment on column published.actions.run_id is 'Id of the run to which the action belongs; null if the action belongs to no run.';
comment on column published.actions.detail is 'Subject of the action: the hash of a plan, the token of a forgotten person, the former id of a renamed integration, or the fingerprint of a key. detail contains no personal data, and is null if there is no subject.';
