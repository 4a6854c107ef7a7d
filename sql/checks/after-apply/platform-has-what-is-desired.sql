-- promise: the platform has what is desired and nothing else, except for what it rejected, what was withheld and what is kept.
-- rows mean: a run would end as if everything had landed, although it has not.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, item of the last run; of none where a later run may have read the platform back
select run.integration_id, run.run_id, item.content as subject, item.unique_id as id, 'desired, but not there as desired' as detail
from sync.last_applied_runs as run
cross join lateral unnest(run.contents) as synced (content)
join sync.desired_items as item
  on item.integration_id = run.integration_id
  and item.content = synced.content
  and item.valid_from_run <= run.run_id
  and (item.valid_to_run is null or item.valid_to_run > run.run_id)
left join sync.platform_items as known
  on known.integration_id = item.integration_id
  and known.content = item.content
  and known.unique_id = item.unique_id
where known.fields is distinct from item.fields
  and not exists (
    select
    from sync.changes as change
    where change.integration_id = run.integration_id
      and change.run_id = run.run_id
      and change.content = item.content
      and change.unique_id = item.unique_id
      and change.state = 'failed'
  )
union all
select run.integration_id, run.run_id, 'all', null,
  format('items without a record: %s; the plan kept %s', known.items, run.counts ->> 'kept')
from sync.last_applied_runs as run
cross join lateral (
  select count(*) as items
  from sync.platform_items as item
  where item.integration_id = run.integration_id
    and item.content = any (run.contents)
    and not exists (
      select
      from sync.desired_items as wanted
      where wanted.integration_id = item.integration_id
        and wanted.content = item.content
        and wanted.unique_id = item.unique_id
        and wanted.valid_from_run <= run.run_id
        and (wanted.valid_to_run is null or wanted.valid_to_run > run.run_id)
    )
    -- A removal that did not land; one that did has left no item.
    and not exists (
      select
      from sync.changes as change
      where change.integration_id = run.integration_id
        and change.run_id = run.run_id
        and change.content = item.content
        and change.unique_id = item.unique_id
    )
) as known
where known.items is distinct from (run.counts ->> 'kept')::bigint
order by integration_id, run_id, subject, id
