-- promise: an item is removed as gone only if every resource that its content needs was read to its proved end, and no unreadable record can be the missing record.
-- rows mean: an incomplete reading was treated as complete, so that missing records count as removed.
-- to do: do not apply the plan; report it with the rows.
-- grain: integration, removal of the last stored plan, resource
select
  change.integration_id,
  change.run_id,
  change.content as subject,
  change.unique_id as id,
  needed.resource || case
    when not certificate.certified then ' is not certified'
    when certificate.since is not null then ' was read by changes, which cannot prove that a record is gone'
    when needed.own then ' may hold the record, which was not seen'
    else ' has new records that could not be read'
  end as detail
from sync.last_planned_runs as run
join sync.changes as change
  on change.integration_id = run.integration_id
  and change.run_id = run.run_id
  and change.action = 'remove'
  and change.inferred
join (
  select resource.source, content, resource.resource, content = any (resource.contents) as own
  from migration.resources as resource
  cross join unnest(resource.needed_for) as content
) as needed
  on needed.source = run.source
  and needed.content = change.content
join sync.certificates as certificate
  on certificate.integration_id = run.integration_id
  and certificate.run_id = run.run_id
  and certificate.resource = needed.resource
where (
  not certificate.certified
  or needed.own
  and certificate.since is not null
  and change.reason <> 'removed_at_source'
  and change.reason not like 'excluded\_by\_rule:%'
  or needed.own and exists (
    select
    from sync.unseen as kept
    where kept.integration_id = run.integration_id
      and kept.run_id = run.run_id
      and kept.resource = needed.resource
      and kept.source_id = change.unique_id
  )
  or not needed.own and exists (
    select
    from sync.unstaged as aside
    where aside.integration_id = run.integration_id
      and aside.run_id = run.run_id
      and aside.resource = needed.resource
      and aside.reason = 'invalid_record'
    group by aside.row_check
    having count(*) > (
      select count(*)
      from sync.unstaged as earlier
      where earlier.integration_id = run.integration_id
        and earlier.run_id = (
          select before.run_id
          from sync.certificates as before
          where before.integration_id = run.integration_id
            and before.run_id < run.run_id
            and before.resource = needed.resource
            and before.certified
            and before.since is null
          order by before.run_id desc
          limit 1
        )
        and earlier.resource = needed.resource
        and earlier.reason = 'invalid_record'
        and earlier.row_check = aside.row_check
    )
  )
)
order by integration_id, run_id, subject, id, detail
