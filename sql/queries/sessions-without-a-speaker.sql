-- Which sessions have no speaker?
--
-- A session counts as without one where neither the session nor a speaker names the other, among those that are synced.
-- One integration: add `and agenda.integration_id = 'summit'`.
select agenda.integration_id, agenda.unique_id, agenda.name, agenda.start_time, agenda.local_start, agenda.location
from published.agenda as agenda
where not exists (
  select
  from published.session_speakers as link
  join published.speakers as speaker
    on speaker.integration_id = link.integration_id
    and speaker.unique_id = link.speaker_id
  where link.integration_id = agenda.integration_id
    and link.session_id = agenda.unique_id
)
order by agenda.integration_id, agenda.start_time, agenda.unique_id
