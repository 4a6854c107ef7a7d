-- promise: the figures that a run reports count the changes of the run correctly.
-- rows mean: report, manifest and exit code would not describe what the run did.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, applied run
select
  run.integration_id,
  run.run_id,
  'all' as subject,
  null::text as id,
  format(
    'changes %s, failed %s, withheld %s; told %s, %s, %s',
    found.changes, found.failed, found.withheld, told.changes, run.counts ->> 'failed', run.counts ->> 'withheld'
  ) as detail
from sync.runs as run
cross join lateral (
  select
    count(*) as changes,
    count(*) filter (where change.state = 'failed') as failed,
    count(*) filter (where change.state = 'withheld') as withheld
  from sync.changes as change
  where change.integration_id = run.integration_id
    and change.run_id = run.run_id
) as found
cross join lateral (
  select
    coalesce(
      sum((figures ->> 'create')::bigint + (figures ->> 'update')::bigint + (figures ->> 'remove')::bigint
        + coalesce((figures ->> 'handover')::bigint, 0)),
      0
    ) as changes
  from jsonb_each(run.counts -> 'changes') as content (content, figures)
) as told
where run.applied_at is not null
  and run.purged_at is null
  and (
    found.changes = told.changes
    and found.failed = (run.counts ->> 'failed')::bigint
    and found.withheld = (run.counts ->> 'withheld')::bigint
  ) is not true
order by integration_id, run_id
