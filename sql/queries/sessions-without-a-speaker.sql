-- Which sessions have no speaker?
--
-- Lists sessions that name no synced speaker and that no synced speaker names.
-- One integration: add `where named.integration_id = 'summit'` to `link`, and add `and agenda.integration_id = 'summit'`.
with link as materialized (
  select named.integration_id, named.session_id, named.speaker_id
  from published.session_speakers as named
  join published.agenda as agenda
    on agenda.integration_id = named.integration_id
    and agenda.unique_id = named.session_id
  join published.speakers as speaker
    on speaker.integration_id = named.integration_id
    and speaker.unique_id = named.speaker_id
)
select agenda.integration_id, agenda.unique_id, agenda.name, agenda.start_time, agenda.local_start, agenda.location
from published.agenda as agenda
where not exists (
  select
  from link
  where link.integration_id = agenda.integration_id
    and link.session_id = agenda.unique_id
)
order by agenda.integration_id, agenda.start_time, agenda.unique_id
