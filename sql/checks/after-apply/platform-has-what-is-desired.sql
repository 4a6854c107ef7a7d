-- promise: the platform has the desired items and no others, except for changes that it rejected or that were withheld, and items that are kept.
-- rows mean: a run would end as if every change had been applied, although one was not.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, item of the last applied run; no row if a later run may have read the platform back
-- made with: plan
select run.integration_id, run.run_id, found.subject, found.id, found.detail
from sync.last_applied_runs as run
cross join lateral (
  select exists (
    select
    from sync.runs as later
    where later.integration_id = run.integration_id
      and later.run_id > run.run_id
      and later.planned_at is not null
  ) as by_later_plan
) as replaced
cross join lateral (
  -- The queries are materialized, so that both sides are read once. Both sides differ only in items that were
  -- rejected, withheld or kept.
  with differing as materialized (
    select
      coalesce(item.content, known.content) as content,
      coalesce(item.unique_id, known.unique_id) as unique_id,
      item.unique_id is not null as is_desired
    from (
      select content, unique_id, fields
      from sync.desired_items
      where integration_id = run.integration_id
        and content = any (run.contents)
        and valid_to_run is null
        and not replaced.by_later_plan
      union all
      select content, unique_id, fields
      from sync.desired_items
      where integration_id = run.integration_id
        and content = any (run.contents)
        and valid_from_run <= run.run_id
        and (valid_to_run is null or valid_to_run > run.run_id)
        and replaced.by_later_plan
    ) as item
    full join (
      select content, unique_id, fields
      from sync.platform_items
      where integration_id = run.integration_id
        and content = any (run.contents)
    ) as known
      on known.content = item.content
      and known.unique_id = item.unique_id
    where known.fields is distinct from item.fields
  )
  select differing.content as subject, differing.unique_id as id, 'desired, but not there as desired' as detail
  from differing
  where differing.is_desired
    and not exists (
      select
      from sync.changes as change
      where change.integration_id = run.integration_id
        and change.run_id = run.run_id
        and change.content = differing.content
        and change.unique_id = differing.unique_id
        and change.state = 'failed'
    )
  union all
  select 'all', null, format('items without a record: %s; the plan kept %s', known.items, run.counts ->> 'kept')
  from (
    select count(*) as items
    from differing
    where not differing.is_desired
      -- An item with a removal in this plan is not kept: its removal was rejected or withheld.
      and not exists (
        select
        from sync.changes as change
        where change.integration_id = run.integration_id
          and change.run_id = run.run_id
          and change.content = differing.content
          and change.unique_id = differing.unique_id
      )
  ) as known
  where known.items is distinct from (run.counts ->> 'kept')::bigint
) as found
order by integration_id, run_id, subject, id
