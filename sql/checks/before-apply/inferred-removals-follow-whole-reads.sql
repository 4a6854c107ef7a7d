-- promise: nothing is removed for being gone unless every resource that the content needs was read to its proved end.
-- rows mean: an incomplete read was taken for the truth, and its gaps for removals.
-- to do: do not apply the plan; report it with the rows.
-- grain: integration, removal of the last stored plan, resource
select
  change.integration_id,
  change.run_id,
  change.content as subject,
  change.unique_id as id,
  needed.resource || case when certificate.certified then ' has quarantined records' else ' is not certified' end as detail
from sync.last_planned_runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
  and change.action = 'remove'
  and change.inferred
join (
  values
    ('a', 'agenda', 'sessions'),
    ('a', 'agenda', 'time_slots'),
    ('a', 'agenda', 'rooms'),
    ('a', 'agenda', 'tracks'),
    ('a', 'agenda', 'session_types'),
    ('a', 'speakers', 'sessions'),
    ('a', 'speakers', 'users'),
    ('a', 'attendees', 'users'),
    ('b', 'agenda', 'sessions'),
    ('b', 'speakers', 'registrants'),
    ('b', 'speakers', 'reg_types'),
    ('b', 'attendees', 'registrants')
) as needed (source, content, resource)
  on needed.source = run.source
  and needed.content = change.content
join sync.certificates as certificate
  on certificate.integration_id = run.integration_id
  and certificate.run_id = run.run_id
  and certificate.resource = needed.resource
where (
  not certificate.certified
  or exists (
    select
    from sync.unstaged as aside
    where aside.integration_id = run.integration_id
      and aside.run_id = run.run_id
      and aside.resource = needed.resource
      and aside.reason = 'invalid_record'
  )
)
order by integration_id, run_id, subject, id, detail
