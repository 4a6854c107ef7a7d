-- promise: a desired session has a start and an end in UTC, as YYYY-MM-DDTHH:MM:SSZ, and ends after it starts.
-- rows mean: the platform would show the session at a wrong time, or reject it.
-- to do: report it with the rows; a record with such times should have been excluded as bad_time.
-- grain: integration, current desired agenda item
select
  item.integration_id,
  item.valid_from_run as run_id,
  item.content as subject,
  item.unique_id as id,
  'from ' || coalesce(item.fields ->> 'startTime', 'nowhere') || ' to ' || coalesce(item.fields ->> 'endTime', 'nowhere') as detail
from sync.desired_items as item
where item.content = 'agenda'
  and item.valid_to_run is null
  -- In this format, comparing the texts is the same as comparing the times.
  and (
    item.fields ->> 'startTime' ~ '^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ$'
    and item.fields ->> 'endTime' ~ '^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ$'
    and item.fields ->> 'endTime' collate "C" > item.fields ->> 'startTime'
  ) is not true
order by integration_id, run_id, subject, id
