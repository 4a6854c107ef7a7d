-- promise: the ledger has all answers from which a resource was read, and these answers contain all its records.
-- rows mean: a certificate and the manifest would list answers that do not add up to the records that were read.
-- to do: run again; if the rows come again, report them.
-- grain: integration, resource of the run with the last stored plan
select
  certificate.integration_id,
  certificate.run_id,
  certificate.resource as subject,
  null::text as id,
  format(
    '%s answers with %s records; certified %s answers with %s records',
    answers.requests, answers.elements, certificate.requests, certificate.elements
  ) as detail
from sync.last_planned_runs as run
join sync.certificates as certificate
  on certificate.integration_id = run.integration_id
  and certificate.run_id = run.run_id
cross join lateral (
  select count(*) as requests, coalesce(max(request.page), 0) as last_page, coalesce(sum(request.elements), 0) as elements
  from sync.requests as request
  where request.integration_id = certificate.integration_id
    and request.run_id = coalesce(run.answers_of, run.run_id)
    and request.resource = certificate.resource
) as answers
where (
  answers.requests <> certificate.requests
  or answers.last_page <> certificate.requests
  or answers.elements <> certificate.elements
)
order by integration_id, run_id, subject
