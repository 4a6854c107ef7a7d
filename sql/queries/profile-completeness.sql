-- How complete are the profiles: of how many speakers and attendees is each field filled?
--
-- Items as of the latest landed run. Fields that a source does not have are empty for all: see transforms/README.md.
-- One integration: add `where profile.integration_id = 'summit'` to both parts of `field`.
with field as (
  select profile.integration_id, 'speakers' as content, filled.field, filled.is_filled
  from published.speakers as profile
  cross join lateral (
    values
      ('title', profile.title is not null),
      ('company', profile.company is not null),
      ('description', profile.description is not null),
      ('image_url', profile.image_url is not null),
      ('session_ids', cardinality(profile.session_ids) > 0),
      ('attendee_id', profile.attendee_id is not null),
      ('facebook_url', profile.facebook_url is not null),
      ('linkedin_url', profile.linkedin_url is not null),
      ('twitter', profile.twitter is not null)
  ) as filled (field, is_filled)
  union all
  select profile.integration_id, 'attendees', filled.field, filled.is_filled
  from published.attendees as profile
  cross join lateral (
    values
      ('title', profile.title is not null),
      ('company', profile.company is not null),
      ('biography', profile.biography is not null),
      ('phone', profile.phone is not null),
      ('personal_agenda', cardinality(profile.personal_agenda) > 0)
  ) as filled (field, is_filled)
)
select
  integration_id,
  content,
  field,
  count(*) filter (where is_filled) as filled,
  count(*) as items,
  round(100.0 * count(*) filter (where is_filled) / count(*), 1) as percent
from field
group by integration_id, content, field
order by integration_id, content, percent desc, field
