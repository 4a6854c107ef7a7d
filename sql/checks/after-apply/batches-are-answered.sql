-- promise: every batch of an applied run was answered or refused, and every change with a result was in an answered batch.
-- rows mean: a change counts as applied or as rejected, but no answer for it was recorded.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, applied run, batch; in the second part, change
select batch.integration_id, batch.run_id, 'batch' as subject, batch.batch::text as id, 'its answer is not known' as detail
from sync.runs as run
join sync.batches as batch
  on batch.integration_id = run.integration_id
  and batch.run_id = run.run_id
  and batch.state = 'sent'
where run.applied_at is not null
union all
select change.integration_id, change.run_id, change.content, change.unique_id, 'its batch was not answered'
from sync.runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
  and change.batch is not null
left join sync.batches as batch
  on batch.integration_id = change.integration_id
  and batch.run_id = change.run_id
  and batch.batch = change.batch
where run.applied_at is not null
  and batch.state is distinct from 'answered'
order by integration_id, run_id, subject, id
