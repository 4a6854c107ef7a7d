-- grain: integration, run that has landed. readers: analysts, the other views
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
  not exists (
    select
    from sync.runs as later
    where later.integration_id = run.integration_id
      and later.status = 'finished'
      and later.run_id > run.run_id
  ) as is_latest,
  (
    select earlier.run_id
    from sync.runs as earlier
    where earlier.integration_id = run.integration_id
      and earlier.status = 'finished'
      and earlier.purged_at is null
      and earlier.run_id < run.run_id
    order by earlier.run_id desc
    limit 1
  ) as run_before
from sync.runs as run
where run.status = 'finished'
  and run.purged_at is null;

comment on view published.runs is 'Runs whose plan has landed on the platform and which were not purged since; withheld in counts tells the removals that were left out.';
comment on column published.runs.integration_id is 'Integration.';
comment on column published.runs.run_id is 'UUIDv7; grows with time.';
comment on column published.runs.started_at is 'When the run started.';
comment on column published.runs.planned_at is 'When the plan was stored.';
comment on column published.runs.applied_at is 'When the platform had every planned change.';
comment on column published.runs.finished_at is 'When the run ended.';
comment on column published.runs.contents is 'Contents that the run planned.';
comment on column published.runs.certified is 'True if every resource was proved to be read completely.';
comment on column published.runs.plan_hash is 'SHA-256 of the plan.';
comment on column published.runs.counts is 'Changes by content and action, excluded by reason, quarantined; JSON as of run --json.';
comment on column published.runs.product_version is 'Version of event-content-sync.';
comment on column published.runs.is_latest is 'True if it is the last such run of its integration: the one the other views show. What is current in staging is of a later one where a plan was held or only shown since.';
comment on column published.runs.run_before is 'The run of the integration that landed before it; null for the first, and if that was purged.';

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

comment on view published.purged_runs is 'Runs that were purged: queries as of them have no rows, and neither published.runs nor staging.runs has them.';
comment on column published.purged_runs.integration_id is 'Integration.';
comment on column published.purged_runs.run_id is 'Run.';
comment on column published.purged_runs.started_at is 'When the run started.';
comment on column published.purged_runs.applied_at is 'When the platform had every planned change; null where none was sent.';
comment on column published.purged_runs.purged_at is 'When it was purged.';
