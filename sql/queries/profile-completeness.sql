-- How complete are the profiles: for how many speakers and attendees is each field filled?
--
-- Items are as of the latest finished run. Fields that every item has, and custom fields, are left out. A field that a source
-- does not have is empty in all its items: see transforms/README.md.
-- One integration: add `and item.integration_id = 'summit'`.
with item as (
  select integration_id, 'speakers' as content, to_jsonb(speaker) as columns
  from published.speakers as speaker
  union all
  select integration_id, 'attendees', to_jsonb(attendee)
  from published.attendees as attendee
)
select
  item.integration_id,
  item.content,
  field.name as field,
  count(*) filter (where field.value not in ('null', '[]')) as filled,
  count(*) as items,
  round(100.0 * count(*) filter (where field.value not in ('null', '[]')) / count(*), 1) as percent
from item
cross join lateral jsonb_each(item.columns) as field (name, value)
where field.name not in ('integration_id', 'unique_id', 'run_id', 'custom', 'first_name', 'last_name', 'email_address')
group by item.integration_id, item.content, field.name
order by item.integration_id, item.content, percent desc, field.name
