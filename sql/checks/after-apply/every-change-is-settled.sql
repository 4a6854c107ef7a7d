-- promise: the result of every change of an applied run is known.
-- rows mean: the run counts as applied although a change may not have reached the platform.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, applied run, change
select
  change.integration_id,
  change.run_id,
  change.content as subject,
  change.unique_id as id,
  format('%s is %s, the platform said %s', change.action, change.state, coalesce(change.result, 'nothing')) as detail
from sync.runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
where run.applied_at is not null
  and case change.state
    when 'applied' then change.result is null or change.result = 'failed'
    when 'failed' then change.result is distinct from 'failed'
    when 'withheld' then change.action <> 'remove' or change.result is not null
    else true
  end
order by integration_id, run_id, change.seq
