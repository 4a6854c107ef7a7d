-- promise: records read = distinct ids + records set aside (repeated, quarantined) + records of forgotten people; records staged = distinct ids + unseen records.
-- rows mean: records were lost or counted twice between the source and staging.
-- to do: run again; if the rows come again, report them.
-- grain: integration, resource of the run with the last stored plan
select
  certificate.integration_id,
  certificate.run_id,
  certificate.resource as subject,
  null::text as id,
  format(
    '%s read, %s distinct ids, %s set aside, %s forgotten, %s not seen, %s staged',
    certificate.elements, certificate.distinct_ids, aside.records, certificate.forgotten, unseen.records, staged.records
  ) as detail
from sync.last_planned_runs as run
join sync.certificates as certificate
  on certificate.integration_id = run.integration_id
  and certificate.run_id = run.run_id
cross join lateral (
  select count(*) as records
  from sync.unstaged as unstaged
  where unstaged.integration_id = run.integration_id
    and unstaged.run_id = run.run_id
    and unstaged.resource = certificate.resource
) as aside
cross join lateral (
  -- A reading of changes stores only the number of records that it did not return, not their ids.
  select coalesce(certificate.staged_unseen, count(*)) as records
  from sync.unseen as missed
  where missed.integration_id = run.integration_id
    and missed.run_id = run.run_id
    and missed.resource = certificate.resource
) as unseen
cross join lateral (
  select count(*) as records
  from sync.records as record
  where record.integration_id = run.integration_id
    and record.valid_to_run is null
    and record.source = run.source
    and record.resource = certificate.resource
) as staged
where certificate.elements is distinct from certificate.distinct_ids + aside.records + certificate.forgotten
  or staged.records is distinct from certificate.distinct_ids + unseen.records
order by integration_id, run_id, subject
