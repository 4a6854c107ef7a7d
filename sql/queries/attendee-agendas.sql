-- Who goes to which sessions, in the order of the day?
--
-- Attendees without a personal agenda are left out. Source A has none; Source B has it in session_ids.
-- One person: add `and attendee.unique_id = '4711'`; one integration: add `and attendee.integration_id = 'expo'`.
select
  attendee.integration_id,
  attendee.unique_id as attendee_id,
  attendee.first_name,
  attendee.last_name,
  agenda.start_time,
  agenda.local_start,
  agenda.name as session,
  agenda.unique_id as session_id
from published.attendees as attendee
join published.attendee_sessions as link
  on link.integration_id = attendee.integration_id
  and link.attendee_id = attendee.unique_id
join published.agenda as agenda
  on agenda.integration_id = link.integration_id
  and agenda.unique_id = link.session_id
order by
  attendee.integration_id,
  attendee.last_name,
  attendee.first_name,
  attendee.unique_id,
  agenda.start_time,
  agenda.unique_id
