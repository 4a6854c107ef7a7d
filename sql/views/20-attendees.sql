-- grain: integration, finished run, attendee. readers: the views and the function below, analysts
select migration.define_items('attendees', $query$
select
  item.integration_id,
  item.unique_id,
  {{values of attendees}},
  run.run_id,
  run.is_latest,
  item.fields -> 'custom' as custom
from published.runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'attendees'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
$query$);

comment on view published.attendees is 'Attendees that the platform should have after the latest finished run (spec 2.4, 2.8). Key: integration_id, unique_id.';
comment on column published.attendees.integration_id is 'Id of the integration.';
comment on column published.attendees.unique_id is 'Unique ID of the item: the id of the user or registrant at the source, or the e-mail address of a user without an id. Personal.';
{{comments of attendees}}
comment on column published.attendees.run_id is 'Run to which the row belongs; joins published.runs.';
comment on column published.attendees.custom is 'Custom fields from event-sync.yaml, by name; null if the item has none. Personal.';

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
comment on view published.attendees_by_run is 'Attendees that the platform should have, as of each finished run. Limit each query to one run or one item, because the view has every item once for each run. Key: integration_id, run_id, unique_id.';
comment on column published.attendees_by_run.is_latest is 'True if the run is the last finished run of its integration: the run that published.attendees shows.';

select migration.define_as_of('attendees');
