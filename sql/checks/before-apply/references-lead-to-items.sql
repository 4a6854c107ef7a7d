-- promise: if a desired item names another item (a speaker, a session, its attendee) of a synced content, the other item is desired, too.
-- rows mean: the platform would get a link to an item that does not exist.
-- to do: report it with the rows; such a reference should have been left out and counted as not_synced.
-- grain: integration, current desired item, reference, for the contents of the last stored plan
-- made with: decisions
select
  run.integration_id,
  run.run_id,
  named.content as subject,
  named.unique_id as id,
  named.field || ' names an item that is not desired' as detail
from sync.last_planned_runs as run
cross join lateral (
  select item.content, item.unique_id, reference.field, reference.target, one.id #>> '{}' as target_id
  from (
    values
      ('agenda', 'speakerIds', 'speakers'),
      ('speakers', 'sessionIds', 'agenda'),
      ('speakers', 'attendeeId', 'attendees'),
      ('attendees', 'personalAgenda', 'agenda')
  ) as reference (content, field, target)
  join sync.desired_items as item
    on item.integration_id = run.integration_id
    and item.content = reference.content
    and item.valid_to_run is null
  -- In lax mode a field that is not a list returns its one id.
  cross join lateral jsonb_path_query(item.fields -> reference.field, 'lax $[*]') as one (id)
  where run.contents @> array[reference.content, reference.target]
  -- `offset 0` makes the planner read all targets once, and not once for each of many ids.
  offset 0
) as named
where not exists (
  select
  from sync.desired_items as target
  where target.integration_id = run.integration_id
    and target.content = named.target
    and target.unique_id = named.target_id
    and target.valid_to_run is null
) and not exists (
  -- Skips items of forgotten people, because the items that such an item names were erased together with the person.
  select
  from sync.forgotten as gone
  where gone.integration_id = run.integration_id
    and gone.token = named.unique_id
)
order by integration_id, run_id, subject, id, detail
