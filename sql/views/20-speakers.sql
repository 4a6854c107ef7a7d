-- grain: integration, finished run, speaker. readers: the views and the function below, analysts
select migration.define_items('speakers', $query$
select
  item.integration_id,
  item.unique_id,
  {{values of speakers}},
  run.run_id,
  run.is_latest,
  item.fields -> 'custom' as custom
from published.runs as run
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = 'speakers'
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
$query$);

comment on view published.speakers is 'Speakers that the platform should have after the latest finished run (spec 2.3, 2.7). Key: integration_id, unique_id.';
comment on column published.speakers.integration_id is 'Id of the integration.';
comment on column published.speakers.unique_id is 'Unique ID of the item: the id of the user or registrant at the source. Personal.';
{{comments of speakers}}
comment on column published.speakers.run_id is 'Run to which the row belongs; joins published.runs.';
comment on column published.speakers.custom is 'Custom fields from event-sync.yaml, by name; null if the item has none. Personal.';

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
comment on view published.speakers_by_run is 'Speakers that the platform should have, as of each finished run. Limit each query to one run or one item, because the view has every item once for each run. Key: integration_id, run_id, unique_id.';
comment on column published.speakers_by_run.is_latest is 'True if the run is the last finished run of its integration: the run that published.speakers shows.';

select migration.define_as_of('speakers');
