-- promise: no sealed password is kept for an attendee that the platform has.
-- rows mean: the database contains a secret that is not needed any more.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, attendee
select run.integration_id, run.run_id, 'attendees' as subject, password.unique_id as id, 'a sealed password' as detail
from sync.last_applied_runs as run
join sync.passwords as password
  on password.integration_id = run.integration_id
join sync.platform_items as item
  on item.integration_id = password.integration_id
  and item.content = 'attendees'
  and item.unique_id = password.unique_id
order by integration_id, run_id, subject, id
