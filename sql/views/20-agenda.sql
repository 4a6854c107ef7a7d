-- grain: integration, finished run, agenda item. readers: the views and the function below, analysts
select migration.define_items('agenda', $query$
select
  item.integration_id,
  item.unique_id,
  {{values of agenda until endTime}},
  published.local_time((item.fields ->> 'startTime')::timestamptz, zone.name) as local_start,
  published.local_time((item.fields ->> 'endTime')::timestamptz, zone.name) as local_end,
  case when published.local_time(now(), zone.name) is not null then zone.name end as time_zone,
  {{values of agenda after endTime}},
  run.run_id,
  run.is_latest,
  item.fields -> 'custom' as custom
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
cross join lateral (select coalesce(session.time_zone, integration.time_zone)) as zone (name)
$query$);

comment on view published.agenda is 'Agenda items that the platform should have after the latest finished run (spec 2.2, 2.6). Key: integration_id, unique_id.';
comment on column published.agenda.integration_id is 'Id of the integration.';
comment on column published.agenda.unique_id is 'Unique ID of the item: the id of the session at the source.';
{{comments of agenda}}
comment on column published.agenda.local_start is 'Local time of start_time in time_zone; null if the time zone is not known.';
comment on column published.agenda.local_end is 'Local time of end_time in time_zone; null if the time zone is not known.';
comment on column published.agenda.time_zone is 'Time zone of the session (Source B) or, if the session has none, source.timeZone of the last run. time_zone is null if there is no time zone, or if this database does not know the time zone.';
comment on column published.agenda.run_id is 'Run to which the row belongs; joins published.runs.';
comment on column published.agenda.custom is 'Custom fields from event-sync.yaml, by name; null if the item has none.';

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
comment on view published.agenda_by_run is 'Agenda items that the platform should have, as of each finished run. Limit each query to one run or one item, because the view has every item once for each run. Key: integration_id, run_id, unique_id.';
comment on column published.agenda_by_run.is_latest is 'True if the run is the last finished run of its integration: the run that published.agenda shows.';

select migration.define_as_of('agenda');
