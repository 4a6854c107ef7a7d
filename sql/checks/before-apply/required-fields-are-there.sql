-- promise: every desired item has the fields that the specification requires (spec 2.2 to 2.8).
-- rows mean: the platform would get an item that the specification does not allow.
-- to do: report it with the rows; a record without a required field should have been excluded as missing_required.
-- grain: integration, current desired item
select
  item.integration_id,
  item.valid_from_run as run_id,
  item.content as subject,
  item.unique_id as id,
  'lacks one of ' || array_to_string(required.fields, ', ') as detail
from (
  values
    ('agenda', array['name', 'startTime', 'endTime']),
    ('speakers', array['firstName', 'lastName']),
    ('attendees', array['firstName', 'lastName', 'emailAddress'])
) as required (content, fields)
join sync.desired_items as item
  on item.content = required.content
where item.valid_to_run is null
  and not item.fields ?& required.fields
order by integration_id, run_id, subject, id
