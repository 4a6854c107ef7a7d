-- Which speakers have two sessions at the same time?
--
-- The query compares instants, so it also finds sessions in different zones. A session that begins when another one ends is
-- not a clash. Local times are in the zone of the first session.
-- One integration: add `where link.integration_id = 'summit'` to `speaking`.
with speaking as (
  select
    link.integration_id,
    link.speaker_id,
    agenda.unique_id as session_id,
    agenda.name,
    agenda.start_time,
    agenda.end_time,
    agenda.time_zone
  from published.session_speakers as link
  join published.agenda as agenda
    on agenda.integration_id = link.integration_id
    and agenda.unique_id = link.session_id
)
select
  one.integration_id,
  one.speaker_id,
  speaker.first_name,
  speaker.last_name,
  greatest(one.start_time, other.start_time) as clash_from,
  least(one.end_time, other.end_time) as clash_to,
  published.local_time(greatest(one.start_time, other.start_time), one.time_zone) as local_from,
  published.local_time(least(one.end_time, other.end_time), one.time_zone) as local_to,
  one.time_zone,
  one.session_id,
  one.name as session,
  other.session_id as other_session_id,
  other.name as other_session
from speaking as one
join speaking as other
  on other.integration_id = one.integration_id
  and other.speaker_id = one.speaker_id
  and other.session_id > one.session_id
  and other.start_time < one.end_time
  and other.end_time > one.start_time
join published.speakers as speaker
  on speaker.integration_id = one.integration_id
  and speaker.unique_id = one.speaker_id
order by one.integration_id, speaker.last_name, one.speaker_id, clash_from, one.session_id, other.session_id
