-- grain: integration, session, speaker. The session names the speaker, or the speaker names the session. readers: analysts
create or replace view published.session_speakers as
select agenda.integration_id, agenda.unique_id as session_id, speaker_id
from published.agenda as agenda
cross join lateral unnest(agenda.speaker_ids) as speaker_id
union
select speaker.integration_id, session_id, speaker.unique_id as speaker_id
from published.speakers as speaker
cross join lateral unnest(speaker.session_ids) as session_id;

comment on view published.session_speakers is 'Speakers of each session. A speaker is listed if the session names the speaker, or the speaker names the session. Key: integration_id, session_id, speaker_id.';
comment on column published.session_speakers.integration_id is 'Id of the integration.';
comment on column published.session_speakers.session_id is 'Unique ID of the session; joins published.agenda.unique_id.';
comment on column published.session_speakers.speaker_id is 'Unique ID of the speaker; joins published.speakers.unique_id. Personal.';

-- grain: integration, attendee, session of the personal agenda. readers: analysts
create or replace view published.attendee_sessions as
select attendee.integration_id, attendee.unique_id as attendee_id, session_id
from published.attendees as attendee
cross join lateral unnest(attendee.personal_agenda) as session_id;

comment on view published.attendee_sessions is 'Sessions in the personal agenda of each attendee (Source B). Key: integration_id, attendee_id, session_id.';
comment on column published.attendee_sessions.integration_id is 'Id of the integration.';
comment on column published.attendee_sessions.attendee_id is 'Unique ID of the attendee; joins published.attendees.unique_id. Personal.';
comment on column published.attendee_sessions.session_id is 'Unique ID of the session; joins published.agenda.unique_id.';
