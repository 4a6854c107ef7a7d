-- grain: integration: its last stored plan, applied or not. readers: sql/checks
create or replace view sync.last_planned_runs as
select
  run.integration_id,
  run.run_id,
  integration.source,
  run.contents,
  run.status,
  run.base = integration.base as is_current,
  run.counts
from sync.runs as run
join sync.integrations as integration
  on integration.integration_id = run.integration_id
where run.run_id = (
    select planned.run_id
    from sync.runs as planned
    where planned.integration_id = run.integration_id
      and planned.planned_at is not null
    order by planned.run_id desc
    limit 1
  );

comment on view sync.last_planned_runs is 'The last run of each integration that stored a plan: current versions of staging, decisions and desired items are of it.';
comment on column sync.last_planned_runs.integration_id is 'Integration.';
comment on column sync.last_planned_runs.run_id is 'Run; joins sync.runs.';
comment on column sync.last_planned_runs.source is 'a or b.';
comment on column sync.last_planned_runs.contents is 'Contents that the run planned.';
comment on column sync.last_planned_runs.status is 'As in sync.runs.';
comment on column sync.last_planned_runs.is_current is 'True if the platform, as known here, is still what the plan starts from.';
comment on column sync.last_planned_runs.counts is 'As in sync.runs.';

-- grain: integration: its last applied run, if nothing has touched what is known of the platform since. readers: sql/checks
create or replace view sync.last_applied_runs as
select
  run.integration_id,
  run.run_id,
  run.contents,
  run.status,
  run.counts
from sync.runs as run
where run.applied_at is not null
  and run.run_id >= (
    select last.run_id
    from sync.runs as last
    where last.integration_id = run.integration_id
      -- It may have read the platform back, or have begun to apply.
      and (last.command = 'run' or last.approved_at is not null)
    order by last.run_id desc
    limit 1
  );

comment on view sync.last_applied_runs is 'The last applied run of each integration: sync.platform_items is what it left. No row where a later run may have changed that.';
comment on column sync.last_applied_runs.integration_id is 'Integration.';
comment on column sync.last_applied_runs.run_id is 'Run; joins sync.runs.';
comment on column sync.last_applied_runs.contents is 'Contents that the run planned.';
comment on column sync.last_applied_runs.status is 'applied, finished, or failed: by its audit.';
comment on column sync.last_applied_runs.counts is 'As in sync.runs.';
