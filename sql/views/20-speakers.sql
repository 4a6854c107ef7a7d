-- grain: integration, landed run, speaker as of it. readers: the views and the function below, analysts
select migration.define_view('published.speakers_by_run', $query$
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

-- grain: integration, speaker as of the latest landed run. readers: analysts
select migration.define_view('published.speakers', $query$
select
  item.integration_id,
  item.unique_id,
  {{columns of speakers}},
  item.run_id,
  item.custom
from published.speakers_by_run as item
where item.is_latest
$query$);

comment on view published.speakers is 'Speakers that the platform should have (spec 2.3, 2.7).';
comment on column published.speakers.integration_id is 'Integration.';
comment on column published.speakers.unique_id is 'Unique ID of the item; id of the user or registrant at the source. Personal.';
{{comments of speakers}}
comment on column published.speakers.run_id is 'Run that the row is of.';
comment on column published.speakers.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none. Personal.';

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
comment on column published.speakers_by_run.is_latest is 'True if the run is the last of its integration that landed: the one that published.speakers shows.';

select migration.define_as_of('speakers');
comment on function published.speakers_as_of(uuid) is 'Rows of published.speakers as of a run that landed; none for any other run. Personal.';
