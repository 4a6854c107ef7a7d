-- Which speakers have no session that attendees can attend?
--
-- Lists speakers who name no synced session and whom no synced session names.
-- One integration: add `where named.integration_id = 'summit'` to `link`, and add `and speaker.integration_id = 'summit'`.
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
select speaker.integration_id, speaker.unique_id, speaker.first_name, speaker.last_name
from published.speakers as speaker
where not exists (
  select
  from link
  where link.integration_id = speaker.integration_id
    and link.speaker_id = speaker.unique_id
)
order by speaker.integration_id, speaker.last_name, speaker.first_name, speaker.unique_id
