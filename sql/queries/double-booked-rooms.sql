-- Which rooms have two sessions at the same time?
--
-- The query compares instants, so it also finds sessions in different zones. A session that begins when another one ends is
-- not a clash. Local times are in the zone of the first session. Source B has no rooms.
-- One integration: add `where one.integration_id = 'summit'`.
select
  one.integration_id,
  one.location,
  greatest(one.start_time, other.start_time) as clash_from,
  least(one.end_time, other.end_time) as clash_to,
  published.local_time(greatest(one.start_time, other.start_time), one.time_zone) as local_from,
  published.local_time(least(one.end_time, other.end_time), one.time_zone) as local_to,
  one.time_zone,
  one.unique_id as session_id,
  one.name as session,
  other.unique_id as other_session_id,
  other.name as other_session
from published.agenda as one
join published.agenda as other
  on other.integration_id = one.integration_id
  and other.location = one.location
  and other.unique_id > one.unique_id
  and other.start_time < one.end_time
  and other.end_time > one.start_time
order by one.integration_id, one.location, clash_from, one.unique_id, other.unique_id
