-- promise: a desired item has only fields of the contract, each with a value: a text, or a list of texts; custom fields are separate.
-- rows mean: the platform would get a field that it does not know, or an empty one where the field should be left out.
-- to do: report it with the rows; the source is not the cause.
-- grain: integration, current desired item
select
  item.integration_id,
  item.valid_from_run as run_id,
  item.content as subject,
  item.unique_id as id,
  'a field that is unknown, blank or of another type' as detail
from sync.contracted_fields as contract
join sync.desired_items as item
  on item.content = contract.content
where item.valid_to_run is null
  and (
    item.fields - contract.texts - contract.lists - 'custom' <> '{}'
    or item.fields -> 'custom' = '{}'
    or jsonb_path_exists(item.fields - contract.lists - 'custom', 'strict $.* ? (@.type() != "string" || @ == "")')
    or jsonb_path_exists(
      item.fields - contract.texts - 'custom',
      'strict $.* ? (@.type() != "array" || @.size() == 0 || @[*].type() != "string" || @[*] == "")'
    )
  )
order by integration_id, run_id, subject, id
