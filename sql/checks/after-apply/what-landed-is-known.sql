-- promise: every change that a run applied on the platform is recorded in the known items.
-- rows mean: the next plan would start from a state that the platform does not have.
-- to do: run again with --refresh; if the rows come again, report them.
-- grain: integration, applied change of the last applied run; no row if a later run may have read the platform back
select run.integration_id, run.run_id, landed.subject, landed.id, landed.detail
from sync.last_applied_runs as run
cross join lateral (
  select
    change.seq,
    change.content as subject,
    change.unique_id as id,
    case when item.unique_id is null then 'not known to be there' when change.action = 'remove' then 'still known to be there'
      else 'known with other fields' end as detail
  from sync.changes as change
  left join sync.platform_items as item
    on item.integration_id = change.integration_id
    and item.content = change.content
    and item.unique_id = change.unique_id
  where change.integration_id = run.integration_id
    and change.run_id = run.run_id
    and change.state = 'applied'
    and case
      when change.action = 'remove' then item.unique_id is not null
      else item.run_id is distinct from change.run_id or item.fields is distinct from change.after
    end
  -- With `offset 0`, the run is looked up once, and not once for each change.
  offset 0
) as landed
order by integration_id, run_id, landed.seq
