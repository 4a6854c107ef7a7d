-- grain: integration, landed run, agenda item as of it. readers: the views and the function below, analysts
create or replace view published.agenda_by_run as
select
  item.integration_id,
  item.unique_id,
  item.fields ->> 'name' as name,
  (item.fields ->> 'startTime')::timestamptz as start_time,
  (item.fields ->> 'endTime')::timestamptz as end_time,
  published.local_time((item.fields ->> 'startTime')::timestamptz, zone.name) as local_start,
  published.local_time((item.fields ->> 'endTime')::timestamptz, zone.name) as local_end,
  case when published.local_time(now(), zone.name) is not null then zone.name end as time_zone,
  item.fields ->> 'description' as description,
  item.fields ->> 'location' as location,
  array(select jsonb_array_elements_text(item.fields -> 'sessionTracks')) as session_tracks,
  item.fields ->> 'filterGroup' as filter_group,
  array(select jsonb_array_elements_text(item.fields -> 'subFilters')) as sub_filters,
  array(select jsonb_array_elements_text(item.fields -> 'speakerIds')) as speaker_ids,
  array(select jsonb_array_elements_text(item.fields -> 'linkUrls')) as link_urls,
  run.run_id,
  run.is_latest
from published.runs as run
join sync.integrations as integration
  on integration.integration_id = run.integration_id
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'agenda'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
left join staging.b_sessions as session
  on session.integration_id = item.integration_id
  and session.source_id = item.unique_id
  and session.valid_from_run <= run.run_id
  and (session.valid_to_run is null or session.valid_to_run > run.run_id)
cross join lateral (select coalesce(session.time_zone, integration.time_zone)) as zone (name);

-- grain: integration, agenda item as of the latest landed run. readers: analysts
create or replace view published.agenda as
select
  item.integration_id,
  item.unique_id,
  item.name,
  item.start_time,
  item.end_time,
  item.local_start,
  item.local_end,
  item.time_zone,
  item.description,
  item.location,
  item.session_tracks,
  item.filter_group,
  item.sub_filters,
  item.speaker_ids,
  item.link_urls,
  item.run_id
from published.agenda_by_run as item
where item.is_latest;

comment on view published.agenda is 'Agenda items that the platform should have (spec 2.2, 2.6).';
comment on column published.agenda.integration_id is 'Integration.';
comment on column published.agenda.unique_id is 'Unique ID of the item; id of the session at the source.';
comment on column published.agenda.name is 'Title of the session; platform field name.';
comment on column published.agenda.start_time is 'When the session begins, an instant; platform field startTime.';
comment on column published.agenda.end_time is 'When the session ends, an instant; platform field endTime.';
comment on column published.agenda.local_start is 'start_time on the clock on the wall in time_zone; null where the zone is not known.';
comment on column published.agenda.local_end is 'end_time on the clock on the wall in time_zone; null where the zone is not known.';
comment on column published.agenda.time_zone is 'Zone of the session (Source B), else source.timeZone as the last run had it; null where neither is known to this database.';
comment on column published.agenda.description is 'What the session is about, HTML as received; platform field description.';
comment on column published.agenda.location is 'Where it is held, location and name of the room; platform field location (Source A).';
comment on column published.agenda.session_tracks is 'Title of its track, in a list; platform field sessionTracks (Source A). Empty where there is none.';
comment on column published.agenda.filter_group is 'What sub_filters are, always Types; platform field filterGroup (Source A). Null where there are none.';
comment on column published.agenda.sub_filters is 'Title of its type of session, in a list; platform field subFilters (Source A). Empty where there is none.';
comment on column published.agenda.speaker_ids is 'Who speaks, in the order of the source; platform field speakerIds (Source A); join published.speakers. published.session_speakers also has those who name the session themselves.';
comment on column published.agenda.link_urls is 'Web addresses that belong to it, in the order of the source; platform field linkUrls (Source A). Empty where there are none.';
comment on column published.agenda.run_id is 'Run that the row is of.';

do $$
declare
  described record;
begin
  for described in
    select attname as name, col_description(attrelid, attnum) as meaning
    from pg_attribute
    where attrelid = 'published.agenda'::regclass and attnum > 0
  loop
    execute format('comment on column published.agenda_by_run.%I is %L', described.name, described.meaning);
  end loop;
end
$$;
comment on view published.agenda_by_run is 'Agenda items that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';
comment on column published.agenda_by_run.is_latest is 'Whether the run is the last of its integration that landed: the one that published.agenda shows.';

create or replace function published.agenda_as_of(run uuid)
returns setof published.agenda
language sql stable parallel safe
as $body$
select
  item.integration_id,
  item.unique_id,
  item.name,
  item.start_time,
  item.end_time,
  item.local_start,
  item.local_end,
  item.time_zone,
  item.description,
  item.location,
  item.session_tracks,
  item.filter_group,
  item.sub_filters,
  item.speaker_ids,
  item.link_urls,
  item.run_id
from published.agenda_by_run as item
where item.run_id = agenda_as_of.run
$body$;
comment on function published.agenda_as_of(uuid) is 'Rows of published.agenda as of a run that landed; none for any other run.';
