-- grain: integration. The run is the last run that stored a plan, even if the plan was not applied. readers: sql/checks
create or replace view sync.last_planned_runs as
select
  run.integration_id,
  run.run_id,
  integration.source,
  run.command,
  run.contents,
  run.status,
  run.base = integration.base as is_current,
  run.counts,
  run.answers_of
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

comment on view sync.last_planned_runs is 'Last run of each integration that stored a plan. The current rows of staging, sync.decisions and sync.desired_items belong to this run.';
comment on column sync.last_planned_runs.integration_id is 'Id of the integration.';
comment on column sync.last_planned_runs.run_id is 'Id of the run; joins sync.runs.';
comment on column sync.last_planned_runs.source is 'Type of the source, for example a.';
comment on column sync.last_planned_runs.command is 'Command that started the run, as in sync.runs. If the command is rollback, the decisions of the run are about items, not about records.';
comment on column sync.last_planned_runs.contents is 'Contents that the run planned: agenda, speakers or attendees.';
comment on column sync.last_planned_runs.status is 'State of the run, as in sync.runs.';
comment on column sync.last_planned_runs.is_current is 'True if the known state of the platform has not changed since the run stored its plan.';
comment on column sync.last_planned_runs.counts is 'Figures of the run, as in sync.runs.';
comment on column sync.last_planned_runs.answers_of is 'Earlier run that read the same answers, as in sync.runs.';

-- grain: integration. The run is the last finished run, if it was not purged. readers: published.<content>, published.decisions
create or replace view sync.last_finished_runs as
select
  integration.integration_id,
  run.run_id,
  run.contents
from sync.integrations as integration
cross join lateral (
  select last.run_id, last.contents, last.purged_at
  from sync.runs as last
  where last.integration_id = integration.integration_id
    and last.status = 'finished'
  order by last.run_id desc
  limit 1
) as run
where run.purged_at is null;

comment on view sync.last_finished_runs is 'Last finished run of each integration. An integration has no row if this run was purged.';
comment on column sync.last_finished_runs.integration_id is 'Id of the integration.';
comment on column sync.last_finished_runs.run_id is 'Id of the run; joins sync.runs.';
comment on column sync.last_finished_runs.contents is 'Contents that the run planned: agenda, speakers or attendees.';

-- grain: integration. The run is the last applied run, if no later run may have changed sync.platform_items.
-- readers: sql/checks
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
      -- Runs that may have changed sync.platform_items: they may have read the platform back, or begun to apply a plan.
      and (last.command = 'run' or last.approved_at is not null)
    order by last.run_id desc
    limit 1
  );

comment on view sync.last_applied_runs is 'Last applied run of each integration, if sync.platform_items still has the state after this run. An integration has no row if a later run may have changed sync.platform_items.';
comment on column sync.last_applied_runs.integration_id is 'Id of the integration.';
comment on column sync.last_applied_runs.run_id is 'Id of the run; joins sync.runs.';
comment on column sync.last_applied_runs.contents is 'Contents that the run planned: agenda, speakers or attendees.';
comment on column sync.last_applied_runs.status is 'State of the run: applied, finished, or failed (in its audit step).';
comment on column sync.last_applied_runs.counts is 'Figures of the run, as in sync.runs.';
