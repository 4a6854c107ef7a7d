-- grain: integration, content, record of the latest finished run. readers: analysts
create or replace view published.decisions as
select
  decision.integration_id,
  decision.content,
  decision.resource,
  decision.source_id,
  decision.unique_id,
  decision.decision,
  nullif(decision.reason, '') as reason,
  nullif(decision.detail, '') as detail,
  run.run_id
from sync.last_finished_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = any (run.contents)
  and decision.valid_from_run <= run.run_id
  and (decision.valid_to_run is null or decision.valid_to_run > run.run_id)
union all
select
  aside.integration_id,
  content.content,
  aside.resource,
  aside.source_id,
  case when content.content = 'attendees' then aside.source_id else aside.id end as unique_id,
  case when aside.reason = 'duplicate_id' then 'excluded' else 'quarantined' end as decision,
  aside.reason,
  null as detail,
  run.run_id
from sync.last_finished_runs as run
join sync.unstaged as aside
  on aside.integration_id = run.integration_id
  and aside.run_id = run.run_id
join (
  values ('sessions', 'agenda'), ('users', 'speakers'), ('users', 'attendees'),
    ('registrants', 'speakers'), ('registrants', 'attendees')
) as content (resource, content)
  on content.resource = aside.resource
  and content.content = any (run.contents);

comment on view published.decisions is 'Decision on each source record as of the latest finished run: one row for each content that the record could become.';
comment on column published.decisions.integration_id is 'Id of the integration.';
comment on column published.decisions.content is 'Content. One of: agenda, speakers, attendees.';
comment on column published.decisions.resource is 'Name of the resource of the record.';
comment on column published.decisions.source_id is 'Id of the record; null if the record has no id. Personal.';
comment on column published.decisions.unique_id is 'Unique ID of the platform item; null if the record has no id. Personal.';
comment on column published.decisions.decision is 'Decision on the record. One of: synced, excluded, quarantined.';
comment on column published.decisions.reason is 'Reason why the record is excluded or quarantined; null if the record is synced.';
comment on column published.decisions.detail is 'Warnings about the record in byte order, joined with "; "; null if there are none.';
comment on column published.decisions.run_id is 'Run to which the row belongs; joins published.runs.';
