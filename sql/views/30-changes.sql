-- grain: integration, run, content, item, changed field. readers: analysts
create or replace view published.changes as
select
  change.integration_id,
  change.run_id,
  change.content,
  change.unique_id,
  change.action,
  nullif(change.reason, '') as reason,
  field.name as field,
  change.before -> field.name as before,
  change.after -> field.name as after
from sync.runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
  and change.state <> 'withheld'
cross join lateral (
  select jsonb_object_keys(coalesce(change.before, '{}') || coalesce(change.after, '{}'))
) as field (name)
where run.status = 'finished'
  and run.purged_at is null
  and change.before -> field.name is distinct from change.after -> field.name;

comment on view published.changes is 'Fields that finished runs changed on the platform: one row for each changed field of an item. Key: integration_id, run_id, content, unique_id, field.';
comment on column published.changes.integration_id is 'Id of the integration.';
comment on column published.changes.run_id is 'Id of the run; joins published.runs.';
comment on column published.changes.content is 'Content. One of: agenda, speakers, attendees.';
comment on column published.changes.unique_id is 'Unique ID of the item. Personal.';
comment on column published.changes.action is 'Action on the item. One of: create, update, handover, remove.';
comment on column published.changes.reason is 'Reason for a removal; null for other actions.';
comment on column published.changes.field is 'Name of the field at the platform, for example startTime (not start_time). The name custom stands for all custom fields together.';
comment on column published.changes.before is 'Value before the change, as JSON; null if the item did not have the field. The expression before #>> ''{}'' returns the value as text without quotes. Personal.';
comment on column published.changes.after is 'Value after the change, as JSON; null if the item no longer has the field. The expression after #>> ''{}'' returns the value as text without quotes. Personal.';

-- grain: integration, run, operation. readers: analysts
create or replace view published.load_results as
select
  change.integration_id,
  change.run_id,
  change.seq,
  change.content,
  change.unique_id,
  case when change.action = 'remove' then 'remove' else 'upsert' end as op,
  change.state as status
from sync.runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
  and change.state <> 'withheld'
where run.status = 'finished'
  and run.purged_at is null;

comment on view published.load_results is 'Result of each operation that finished runs sent. Key: integration_id, run_id, seq.';
comment on column published.load_results.integration_id is 'Id of the integration.';
comment on column published.load_results.run_id is 'Id of the run; joins published.runs.';
comment on column published.load_results.seq is 'Position of the operation in the plan, from 1.';
comment on column published.load_results.content is 'Content. One of: agenda, speakers, attendees.';
comment on column published.load_results.unique_id is 'Unique ID of the item. Personal.';
comment on column published.load_results.op is 'Operation on the item. One of: upsert, remove.';
comment on column published.load_results.status is 'Result of the operation: applied if the platform acknowledged it, failed if the platform rejected it.';
