-- How complete are the profiles: of how many speakers and attendees is each field filled?
--
-- Items as of the latest landed run. Fields that a source does not have are empty for all: see transforms/README.md.
-- One integration: add `where filled.integration_id = 'summit'`.
with filled as (
  select
    integration_id,
    'speakers' as content,
    count(*) as items,
    jsonb_build_object(
      'title', count(title),
      'company', count(company),
      'description', count(description),
      'image_url', count(image_url),
      'session_ids', count(*) filter (where session_ids <> '{}'),
      'attendee_id', count(attendee_id),
      'facebook_url', count(facebook_url),
      'linkedin_url', count(linkedin_url),
      'twitter', count(twitter)
    ) as fields
  from published.speakers
  group by integration_id
  union all
  select
    integration_id,
    'attendees',
    count(*),
    jsonb_build_object(
      'title', count(title),
      'company', count(company),
      'biography', count(biography),
      'phone', count(phone),
      'personal_agenda', count(*) filter (where personal_agenda <> '{}')
    )
  from published.attendees
  group by integration_id
)
select
  filled.integration_id,
  filled.content,
  field.name as field,
  field.filled::bigint as filled,
  filled.items,
  round(100.0 * field.filled::bigint / filled.items, 1) as percent
from filled
cross join lateral jsonb_each_text(filled.fields) as field (name, filled)
order by filled.integration_id, filled.content, percent desc, field.name
