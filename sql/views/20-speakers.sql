-- grain: integration, speaker as of the latest landed run. readers: analysts
create or replace view published.speakers as
select
  item.integration_id,
  item.unique_id,
  item.fields ->> 'firstName' as first_name,
  item.fields ->> 'lastName' as last_name,
  item.fields ->> 'title' as title,
  item.fields ->> 'company' as company,
  item.fields ->> 'description' as description,
  item.fields ->> 'imageUrl' as image_url,
  array(select jsonb_array_elements_text(item.fields -> 'sessionIds')) as session_ids,
  item.fields ->> 'attendeeId' as attendee_id,
  item.fields ->> 'facebookUrl' as facebook_url,
  item.fields ->> 'linkedinUrl' as linkedin_url,
  item.fields ->> 'twitter' as twitter,
  run.run_id
from published.runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'speakers'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
where run.is_latest;

comment on view published.speakers is 'Speakers that the platform should have (spec 2.3, 2.7).';
comment on column published.speakers.integration_id is 'Integration.';
comment on column published.speakers.unique_id is 'Unique ID of the item; id of the user or registrant at the source.';
comment on column published.speakers.first_name is 'Platform field firstName. Personal.';
comment on column published.speakers.last_name is 'Platform field lastName. Personal.';
comment on column published.speakers.title is 'Platform field title. Personal.';
comment on column published.speakers.company is 'Platform field company. Personal.';
comment on column published.speakers.description is 'Platform field description. Personal.';
comment on column published.speakers.image_url is 'Platform field imageUrl (Source A). Personal.';
comment on column published.speakers.session_ids is 'Platform field sessionIds; join published.agenda. Empty where there are none.';
comment on column published.speakers.attendee_id is 'Platform field attendeeId; join published.attendees.';
comment on column published.speakers.facebook_url is 'Platform field facebookUrl (Source A). Personal.';
comment on column published.speakers.linkedin_url is 'Platform field linkedinUrl (Source A). Personal.';
comment on column published.speakers.twitter is 'Platform field twitter (Source B). Personal.';
comment on column published.speakers.run_id is 'Run that the row is of.';
