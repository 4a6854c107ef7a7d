-- promise: a desired item has no field but those of the contract, each with a value: a text, or a list of texts.
-- rows mean: the platform would get a field that it does not know, or an empty one where the field should be left out.
-- to do: report it with the rows; nothing at the source causes it.
-- grain: integration, current desired item
select
  item.integration_id,
  item.valid_from_run as run_id,
  item.content as subject,
  item.unique_id as id,
  'a field that is unknown, blank or of another type' as detail
from (
  values
    (
      'agenda',
      array[
        'name',
        'startTime',
        'endTime',
        'description',
        'location',
        'filterGroup'
      ],
      array['sessionTracks', 'subFilters', 'speakerIds', 'linkUrls']
    ),
    (
      'speakers',
      array[
        'firstName', 'lastName', 'title', 'company', 'description', 'imageUrl', 'attendeeId', 'facebookUrl', 'linkedinUrl',
        'twitter'
      ],
      array['sessionIds']
    ),
    (
      'attendees',
      array['firstName', 'lastName', 'emailAddress', 'title', 'company', 'biography', 'phone'],
      array['personalAgenda']
    )
) as contract (content, texts, lists)
join sync.desired_items as item
  on item.content = contract.content
where item.valid_to_run is null
  and (
    item.fields - contract.texts - contract.lists <> '{}'
    -- Texts, and the elements of lists.
    or jsonb_path_exists(item.fields, 'lax $.*[*] ? (@.type() != "string" || @ == "")')
    or jsonb_path_exists(item.fields - contract.texts, 'strict $.* ? (@.type() != "array" || @.size() == 0)')
    or jsonb_path_exists(item.fields - contract.lists, 'strict $.* ? (@.type() == "array")')
  )
order by integration_id, run_id, subject, id
