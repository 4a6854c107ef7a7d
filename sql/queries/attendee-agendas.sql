-- Which sessions does each attendee attend, in the order of the day?
--
-- Attendees without a personal agenda are left out. Source A has no personal agendas; Source B has them in session_ids. Zones
-- may differ within an event, so sessions are sorted by start_time. local_start is the local time in time_zone.
-- One person: add `where going.attendee_id = '4711'`.
-- One integration: add `where integration_id = 'summit'` to `going` and to `agenda`.
with going as materialized (
  select integration_id, unique_id as attendee_id, first_name, last_name, unnest(personal_agenda) as session_id
  from published.attendees
), agenda as materialized (
  select integration_id, unique_id, name, start_time, local_start, time_zone
  from published.agenda
)
select
  going.integration_id,
  going.attendee_id,
  going.first_name,
  going.last_name,
  agenda.start_time,
  agenda.local_start,
  agenda.time_zone,
  agenda.name as session,
  agenda.unique_id as session_id
from going
join agenda
  on agenda.integration_id = going.integration_id
  and agenda.unique_id = going.session_id
order by
  going.integration_id,
  going.last_name,
  going.first_name,
  going.attendee_id,
  agenda.start_time,
  agenda.unique_id
