-- promise: every current record has one decision for each content that it serves, and every decision has its record.
-- rows mean: a record would be accounted for nowhere, or an item would stay for a record that is gone.
-- to do: run again; if the rows come again, report them.
-- grain: integration, content, record; of the contents of the last stored plan
select run.integration_id, run.run_id, 'agenda' as subject, record.source_id as id, 'no decision' as detail
from sync.last_planned_runs as run
join staging.a_sessions as record
  on record.integration_id = run.integration_id
  and record.valid_to_run is null
where run.source = 'a'
  and 'agenda' = any (run.contents)
  and not exists (
    select
    from sync.decisions as decision
    where decision.integration_id = record.integration_id
      and decision.content = 'agenda'
      and decision.source_id = record.source_id
      and decision.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'speakers' as subject, record.source_id as id, 'no decision' as detail
from sync.last_planned_runs as run
join staging.a_users as record
  on record.integration_id = run.integration_id
  and record.valid_to_run is null
where run.source = 'a'
  and 'speakers' = any (run.contents)
  and not exists (
    select
    from sync.decisions as decision
    where decision.integration_id = record.integration_id
      and decision.content = 'speakers'
      and decision.source_id = record.source_id
      and decision.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'attendees' as subject, record.source_id as id, 'no decision' as detail
from sync.last_planned_runs as run
join staging.a_users as record
  on record.integration_id = run.integration_id
  and record.valid_to_run is null
where run.source = 'a'
  and 'attendees' = any (run.contents)
  and not exists (
    select
    from sync.decisions as decision
    where decision.integration_id = record.integration_id
      and decision.content = 'attendees'
      and decision.source_id = record.source_id
      and decision.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'agenda' as subject, record.source_id as id, 'no decision' as detail
from sync.last_planned_runs as run
join staging.b_sessions as record
  on record.integration_id = run.integration_id
  and record.valid_to_run is null
where run.source = 'b'
  and 'agenda' = any (run.contents)
  and not exists (
    select
    from sync.decisions as decision
    where decision.integration_id = record.integration_id
      and decision.content = 'agenda'
      and decision.source_id = record.source_id
      and decision.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'speakers' as subject, record.source_id as id, 'no decision' as detail
from sync.last_planned_runs as run
join staging.b_registrants as record
  on record.integration_id = run.integration_id
  and record.valid_to_run is null
where run.source = 'b'
  and 'speakers' = any (run.contents)
  and not exists (
    select
    from sync.decisions as decision
    where decision.integration_id = record.integration_id
      and decision.content = 'speakers'
      and decision.source_id = record.source_id
      and decision.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'attendees' as subject, record.source_id as id, 'no decision' as detail
from sync.last_planned_runs as run
join staging.b_registrants as record
  on record.integration_id = run.integration_id
  and record.valid_to_run is null
where run.source = 'b'
  and 'attendees' = any (run.contents)
  and not exists (
    select
    from sync.decisions as decision
    where decision.integration_id = record.integration_id
      and decision.content = 'attendees'
      and decision.source_id = record.source_id
      and decision.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'agenda', decision.source_id, 'a decision, but no record'
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = 'agenda'
  and decision.valid_to_run is null
where run.source = 'a'
  and 'agenda' = any (run.contents)
  and not exists (
    select
    from staging.a_sessions as record
    where record.integration_id = decision.integration_id
      and record.source_id = decision.source_id
      and record.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'speakers', decision.source_id, 'a decision, but no record'
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = 'speakers'
  and decision.valid_to_run is null
where run.source = 'a'
  and 'speakers' = any (run.contents)
  and not exists (
    select
    from staging.a_users as record
    where record.integration_id = decision.integration_id
      and record.source_id = decision.source_id
      and record.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'attendees', decision.source_id, 'a decision, but no record'
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = 'attendees'
  and decision.valid_to_run is null
where run.source = 'a'
  and 'attendees' = any (run.contents)
  and not exists (
    select
    from staging.a_users as record
    where record.integration_id = decision.integration_id
      and record.source_id = decision.source_id
      and record.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'agenda', decision.source_id, 'a decision, but no record'
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = 'agenda'
  and decision.valid_to_run is null
where run.source = 'b'
  and 'agenda' = any (run.contents)
  and not exists (
    select
    from staging.b_sessions as record
    where record.integration_id = decision.integration_id
      and record.source_id = decision.source_id
      and record.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'speakers', decision.source_id, 'a decision, but no record'
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = 'speakers'
  and decision.valid_to_run is null
where run.source = 'b'
  and 'speakers' = any (run.contents)
  and not exists (
    select
    from staging.b_registrants as record
    where record.integration_id = decision.integration_id
      and record.source_id = decision.source_id
      and record.valid_to_run is null
  )
union all
select run.integration_id, run.run_id, 'attendees', decision.source_id, 'a decision, but no record'
from sync.last_planned_runs as run
join sync.decisions as decision
  on decision.integration_id = run.integration_id
  and decision.content = 'attendees'
  and decision.valid_to_run is null
where run.source = 'b'
  and 'attendees' = any (run.contents)
  and not exists (
    select
    from staging.b_registrants as record
    where record.integration_id = decision.integration_id
      and record.source_id = decision.source_id
      and record.valid_to_run is null
  )
order by integration_id, run_id, subject, id
