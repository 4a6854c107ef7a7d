-- grain: integration, landed run, attendee as of it. readers: the views and the function below, analysts
create or replace view published.attendees_by_run as
select
  item.integration_id,
  item.unique_id,
  item.fields ->> 'firstName' as first_name,
  item.fields ->> 'lastName' as last_name,
  item.fields ->> 'emailAddress' as email_address,
  item.fields ->> 'title' as title,
  item.fields ->> 'company' as company,
  item.fields ->> 'biography' as biography,
  item.fields ->> 'phone' as phone,
  array(select jsonb_array_elements_text(item.fields -> 'personalAgenda')) as personal_agenda,
  run.run_id,
  run.is_latest
from published.runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'attendees'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id);

-- grain: integration, attendee as of the latest landed run. readers: analysts
create or replace view published.attendees as
select
  item.integration_id,
  item.unique_id,
  item.first_name,
  item.last_name,
  item.email_address,
  item.title,
  item.company,
  item.biography,
  item.phone,
  item.personal_agenda,
  item.run_id
from published.attendees_by_run as item
where item.is_latest;

comment on view published.attendees is 'Attendees that the platform should have (spec 2.4, 2.8).';
comment on column published.attendees.integration_id is 'Integration.';
comment on column published.attendees.unique_id is 'Unique ID of the item; id of the user or registrant at the source, or the e-mail address of a user without one. Personal.';
comment on column published.attendees.first_name is 'First name; platform field firstName. Personal.';
comment on column published.attendees.last_name is 'Last name; platform field lastName. Personal.';
comment on column published.attendees.email_address is 'E-mail address as given; platform field emailAddress. Personal.';
comment on column published.attendees.title is 'Position at work; platform field title. Personal.';
comment on column published.attendees.company is 'Organisation that the person works for; platform field company. Personal.';
comment on column published.attendees.biography is 'About the person, HTML as received; platform field biography (Source B). Personal.';
comment on column published.attendees.phone is 'Mobile phone number as given; platform field phone (Source B). Personal.';
comment on column published.attendees.personal_agenda is 'Sessions that the person goes to, in byte order; platform field personalAgenda (Source B); join published.agenda. Empty where there are none.';
comment on column published.attendees.run_id is 'Run that the row is of.';

do $$
declare
  described record;
begin
  for described in
    select attname as name, col_description(attrelid, attnum) as meaning
    from pg_attribute
    where attrelid = 'published.attendees'::regclass and attnum > 0
  loop
    execute format('comment on column published.attendees_by_run.%I is %L', described.name, described.meaning);
  end loop;
end
$$;
comment on view published.attendees_by_run is 'Attendees that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';
comment on column published.attendees_by_run.is_latest is 'Whether the run is the last of its integration that landed: the one that published.attendees shows.';

create or replace function published.attendees_as_of(run uuid)
returns setof published.attendees
language sql stable parallel safe
as $body$
select
  item.integration_id,
  item.unique_id,
  item.first_name,
  item.last_name,
  item.email_address,
  item.title,
  item.company,
  item.biography,
  item.phone,
  item.personal_agenda,
  item.run_id
from published.attendees_by_run as item
where item.run_id = attendees_as_of.run
$body$;
comment on function published.attendees_as_of(uuid) is 'Rows of published.attendees as of a run that landed; none for any other run. Personal.';
