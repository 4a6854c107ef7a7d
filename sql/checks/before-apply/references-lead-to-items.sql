-- promise: what a desired item names (speakers, sessions, its attendee) is desired too, where that content is synced.
-- rows mean: the platform would get a link that leads nowhere.
-- to do: report it with the rows; such a reference should have been left out and counted, not_synced.
-- grain: integration, current desired item, reference; of the contents of the last stored plan
select
  run.integration_id,
  run.run_id,
  item.content as subject,
  item.unique_id as id,
  reference.field || ' names an item that is not desired' as detail
from sync.last_planned_runs as run
join (
  values
    ('agenda', 'speakerIds', 'speakers'),
    ('speakers', 'sessionIds', 'agenda'),
    ('speakers', 'attendeeId', 'attendees'),
    ('attendees', 'personalAgenda', 'agenda')
) as reference (content, field, target)
  on run.contents @> array[reference.content, reference.target]
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = reference.content
  and item.valid_to_run is null
-- One id where the field is no list.
cross join lateral jsonb_path_query(item.fields -> reference.field, 'lax $[*]') as named (id)
where not exists (
  -- What they went to is forgotten with them.
  select
  from sync.forgotten as gone
  where gone.integration_id = item.integration_id
    and gone.token = item.unique_id
) and not exists (
  select
  from sync.desired_items as target
  where target.integration_id = item.integration_id
    and target.content = reference.target
    and target.unique_id = named.id #>> '{}'
    and target.valid_to_run is null
)
order by integration_id, run_id, subject, id, detail
