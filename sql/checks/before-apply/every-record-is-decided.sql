-- promise: every current record has one decision for each content that it serves, and every decision has its record, except after a rollback, which decides on items.
-- rows mean: a record would not be accounted for, or an item would stay although its record is gone.
-- to do: run again; if the rows come again, report them.
-- grain: integration, content of the last stored plan, record
-- made with: decisions
with run as not materialized (
  select integration_id, run_id, source, contents
  from sync.last_planned_runs
  where command <> 'rollback'
)
select
  run.integration_id,
  run.run_id,
  pair.content as subject,
  pair.source_id as id,
  case when pair.is_record then 'no decision' else 'a decision, but no record' end as detail
from run
cross join lateral (
  select
    coalesce(due.content, made.content) as content,
    coalesce(due.source_id, made.source_id) as source_id,
    due.source_id is not null as is_record
  from (
    select served.content, record.source_id
    from sync.records as record
    cross join lateral unnest(record.contents) as served (content)
    where record.integration_id = run.integration_id
      and record.valid_to_run is null
      and record.source = run.source
      and served.content = any (run.contents)
  ) as due
  full join (
    select decision.content, decision.source_id
    from sync.decisions as decision
    where decision.integration_id = run.integration_id
      and decision.content = any (run.contents)
      and decision.valid_to_run is null
  ) as made
    on made.content = due.content
    and made.source_id = due.source_id
  where due.source_id is null
    or made.source_id is null
) as pair
order by integration_id, run_id, subject, id
