-- promise: an item is removed for the reason in its decision, because it has no record, or because a person was forgotten.
-- rows mean: a desired item would be removed, or an item for a reason that nobody can look up.
-- to do: do not apply the plan; report it with the rows.
-- grain: integration, removal of the last stored plan
select
  change.integration_id,
  change.run_id,
  change.content as subject,
  change.unique_id as id,
  case
    when item.unique_id is not null then 'still desired'
    when change.reason = 'removed_at_source' and decision.source_id is not null then 'its record has a decision'
    when change.reason not in ('removed_at_source', 'forgotten') and decision.reason is distinct from change.reason then 'no decision says so'
    when change.reason = 'forgotten' then 'nobody was forgotten there'
    else 'no record states it'
  end as detail
from sync.last_planned_runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
  and change.action = 'remove'
left join migration.sources as source
  on source.source = run.source
left join sync.desired_items as item
  on item.integration_id = change.integration_id
  and item.content = change.content
  and item.unique_id = change.unique_id
  and item.valid_to_run is null
-- An item has the id of its record.
left join sync.decisions as decision
  on decision.integration_id = change.integration_id
  and decision.content = change.content
  and decision.source_id = change.unique_id
  and decision.valid_to_run is null
left join sync.forgotten as gone
  on gone.integration_id = change.integration_id
  and gone.token = change.unique_id
where (
  item.unique_id is not null
  or case
    when change.reason = 'removed_at_source' then decision.source_id is not null or not change.inferred
    when change.reason = 'forgotten' then gone.token is null or change.inferred
    else decision.reason is distinct from change.reason
      or not (
        change.inferred
        or change.reason = 'suppressed'
        or change.reason = 'rolled_back' and run.command = 'rollback'
        or change.reason = any (source.stated_reasons)
      )
  end
)
order by integration_id, run_id, subject, id
