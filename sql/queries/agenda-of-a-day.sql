-- Which sessions take place on a given day of the event, room by room?
--
-- Change the day in parameters; null stands for the first day of each event. A session that continues past midnight is
-- listed on both days. Times and days are local times in time_zone, or UTC if the zone of a session is not known. Zones may
-- differ within an event, so the sessions of a room are sorted by the instant at which they begin, not by local time.
-- Source B has no rooms.
-- One integration: add `where integration_id = 'summit'` to `agenda`.
with parameters as (
  select null::date as day
), agenda as (
  select
    integration_id,
    unique_id,
    name,
    location,
    start_time,
    coalesce(local_start, start_time at time zone 'UTC') as starts_at,
    coalesce(local_end, end_time at time zone 'UTC') as ends_at,
    coalesce(time_zone, 'UTC') as time_zone
  from published.agenda
), asked as (
  select agenda.integration_id, coalesce(parameters.day, min(agenda.starts_at)::date) as day
  from agenda
  cross join parameters
  group by agenda.integration_id, parameters.day
)
select
  agenda.integration_id,
  asked.day,
  coalesce(agenda.location, '(no room)') as room,
  agenda.starts_at,
  agenda.ends_at,
  agenda.time_zone,
  agenda.name,
  agenda.unique_id
from asked
join agenda
  on agenda.integration_id = asked.integration_id
  and agenda.starts_at < asked.day + 1
  and agenda.ends_at > asked.day
order by agenda.integration_id, agenda.location nulls last, agenda.start_time, agenda.unique_id
