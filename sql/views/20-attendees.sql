-- grain: integration, attendee as of the latest landed run. readers: analysts
create or replace view published.attendees as
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
  run.run_id
from published.runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'attendees'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
where run.is_latest;

comment on view published.attendees is 'Attendees that the platform should have (spec 2.4, 2.8).';
comment on column published.attendees.integration_id is 'Integration.';
comment on column published.attendees.unique_id is 'Unique ID of the item; id of the user or registrant at the source, or the e-mail address of a user without one. Personal.';
comment on column published.attendees.first_name is 'Platform field firstName. Personal.';
comment on column published.attendees.last_name is 'Platform field lastName. Personal.';
comment on column published.attendees.email_address is 'Platform field emailAddress. Personal.';
comment on column published.attendees.title is 'Platform field title. Personal.';
comment on column published.attendees.company is 'Platform field company. Personal.';
comment on column published.attendees.biography is 'Platform field biography (Source B). Personal.';
comment on column published.attendees.phone is 'Platform field phone (Source B). Personal.';
comment on column published.attendees.personal_agenda is 'Platform field personalAgenda (Source B); join published.agenda. Empty where there is none.';
comment on column published.attendees.run_id is 'Run that the row is of.';
