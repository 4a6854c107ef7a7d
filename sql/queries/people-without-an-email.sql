-- Which people have no e-mail address, so that they cannot be attendees?
--
-- Lists people of the sources as of the latest finished run, without those of Source B who cancelled. `decided` is the
-- reason in the decision on the person as an attendee. `is_speaker` is true if the platform has the person as a speaker.
-- One integration: add `where person.integration_id = 'summit'`.
with person as (
  select run.integration_id, run.run_id, record.source_id, record.first_name, record.last_name
  from published.runs as run
  join staging.a_users as record
    on record.integration_id = run.integration_id
    and record.valid_from_run <= run.run_id
    and (record.valid_to_run is null or record.valid_to_run > run.run_id)
  where run.is_latest
    and record.email_address is null
  union all
  select run.integration_id, run.run_id, record.source_id, record.first_name, record.last_name
  from published.runs as run
  join staging.b_registrants as record
    on record.integration_id = run.integration_id
    and record.valid_from_run <= run.run_id
    and (record.valid_to_run is null or record.valid_to_run > run.run_id)
  where run.is_latest
    and record.email is null
    and record.cancelled_at is null
)
select
  person.integration_id,
  person.source_id,
  person.first_name,
  person.last_name,
  decision.reason as decided,
  exists (
    select
    from published.speakers as speaker
    where speaker.integration_id = person.integration_id
      and speaker.unique_id = person.source_id
  ) as is_speaker
from person
left join published.decisions as decision
  on decision.integration_id = person.integration_id
  and decision.content = 'attendees'
  and decision.source_id = person.source_id
  and decision.resource in ('users', 'registrants')
  and decision.reason is distinct from 'duplicate_id'
order by person.integration_id, person.source_id
