-- What can an anonymous reader of Source A see: in how many records is each field filled?
--
-- The product reads Source A as an anonymous reader (spec 2.1), so staging has only what such a reader can see. If a field is
-- filled in none of many records, it is probably not set to View for Anonymous. Records are as of the latest finished run.
-- One integration: add `and run.integration_id = 'summit'` to both parts of `field`.
with field as (
  select run.integration_id, 'sessions' as resource, filled.field, filled.is_filled
  from published.runs as run
  join staging.a_sessions as session
    on session.integration_id = run.integration_id
    and session.valid_from_run <= run.run_id
    and (session.valid_to_run is null or session.valid_to_run > run.run_id)
  cross join lateral (
    values
      ('Title', session.title is not null),
      ('Description', session.description is not null),
      ('TimeSlotId', session.time_slot_id is not null),
      ('RoomId', session.room_id is not null),
      ('TrackId', session.track_id is not null),
      ('SessionTypeId', session.session_type_id is not null),
      ('Speakers', session.speaker_ids <> '{}'),
      ('Links', session.link_urls <> '{}')
  ) as filled (field, is_filled)
  where run.is_latest
  union all
  select run.integration_id, 'users', filled.field, filled.is_filled
  from published.runs as run
  join staging.a_users as person
    on person.integration_id = run.integration_id
    and person.valid_from_run <= run.run_id
    and (person.valid_to_run is null or person.valid_to_run > run.run_id)
  cross join lateral (
    values
      ('Id', person.id is not null),
      ('FirstName', person.first_name is not null),
      ('LastName', person.last_name is not null),
      ('EmailAddress', person.email_address is not null),
      ('Title', person.title is not null),
      ('Company', person.company is not null),
      ('Biography', person.biography is not null),
      ('PhotoLink', person.photo_link is not null),
      ('SpeakingAt', person.speaking_at <> '{}'),
      ('Facebook', person.facebook_url is not null),
      ('LinkedIn', person.linkedin_url is not null)
  ) as filled (field, is_filled)
  where run.is_latest
)
select
  integration_id,
  resource,
  field,
  count(*) filter (where is_filled) as filled,
  count(*) as records,
  round(100.0 * count(*) filter (where is_filled) / count(*), 1) as percent
from field
group by integration_id, resource, field
order by integration_id, resource, filled, field
