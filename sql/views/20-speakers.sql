-- grain: integration, landed run, speaker as of it. readers: the views and the function below, analysts
create or replace view published.speakers_by_run as
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
  run.run_id,
  run.is_latest
from published.runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'speakers'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id);

-- grain: integration, speaker as of the latest landed run. readers: analysts
create or replace view published.speakers as
select
  item.integration_id,
  item.unique_id,
  item.first_name,
  item.last_name,
  item.title,
  item.company,
  item.description,
  item.image_url,
  item.session_ids,
  item.attendee_id,
  item.facebook_url,
  item.linkedin_url,
  item.twitter,
  item.run_id
from published.speakers_by_run as item
where item.is_latest;

comment on view published.speakers is 'Speakers that the platform should have (spec 2.3, 2.7).';
comment on column published.speakers.integration_id is 'Integration.';
comment on column published.speakers.unique_id is 'Unique ID of the item; id of the user or registrant at the source.';
comment on column published.speakers.first_name is 'First name; platform field firstName. Personal.';
comment on column published.speakers.last_name is 'Last name; platform field lastName. Personal.';
comment on column published.speakers.title is 'Position at work; platform field title. Personal.';
comment on column published.speakers.company is 'Organisation that the person works for; platform field company. Personal.';
comment on column published.speakers.description is 'About the person, HTML as received; platform field description. Personal.';
comment on column published.speakers.image_url is 'Web address of a photo; platform field imageUrl (Source A). Personal.';
comment on column published.speakers.session_ids is 'Sessions that the person speaks in, in byte order; platform field sessionIds; join published.agenda. Empty where there are none.';
comment on column published.speakers.attendee_id is 'The person as an attendee; platform field attendeeId; join published.attendees. Null where there is no such attendee.';
comment on column published.speakers.facebook_url is 'Web address of the page on Facebook; platform field facebookUrl (Source A). Personal.';
comment on column published.speakers.linkedin_url is 'Web address of the page on LinkedIn; platform field linkedinUrl (Source A). Personal.';
comment on column published.speakers.twitter is 'Handle on Twitter, without "@"; platform field twitter (Source B). Personal.';
comment on column published.speakers.run_id is 'Run that the row is of.';

do $$
declare
  described record;
begin
  for described in
    select attname as name, col_description(attrelid, attnum) as meaning
    from pg_attribute
    where attrelid = 'published.speakers'::regclass and attnum > 0
  loop
    execute format('comment on column published.speakers_by_run.%I is %L', described.name, described.meaning);
  end loop;
end
$$;
comment on view published.speakers_by_run is 'Speakers that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';
comment on column published.speakers_by_run.is_latest is 'Whether the run is the last of its integration that landed: the one that published.speakers shows.';

create or replace function published.speakers_as_of(run uuid)
returns setof published.speakers
language sql stable parallel safe
as $body$
select
  item.integration_id,
  item.unique_id,
  item.first_name,
  item.last_name,
  item.title,
  item.company,
  item.description,
  item.image_url,
  item.session_ids,
  item.attendee_id,
  item.facebook_url,
  item.linkedin_url,
  item.twitter,
  item.run_id
from published.speakers_by_run as item
where item.run_id = speakers_as_of.run
$body$;
comment on function published.speakers_as_of(uuid) is 'Rows of published.speakers as of a run that landed; none for any other run. Personal.';
