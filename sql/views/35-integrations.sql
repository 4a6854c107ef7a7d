-- grain: integration that has had a run. readers: analysts, monitoring
--
-- The conditions of `state` follow `event-sync status` (pipeline/inspect/state.ts). SQL does not know the configuration,
-- the credentials and the files, so the view uses the schedule and guards.maxQuarantined of the last run.
create or replace view published.integrations as
select
  integration.integration_id,
  integration.source,
  stated.state,
  nullif(
    concat_ws(
      '; ',
      case
        when stated.state = 'overdue' or (stated.state = 'never run' and late.is_late)
          then 'due at ' || to_char(newest.next_due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ', but no run has started since'
      end,
      case
        when pin.action is not null
          then 'pinned' || coalesce(' until ' || to_char(pin.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
      end,
      case
        when judged.state = 'failing' then split_part(judged.error, E'\n', 1)
        when judged.state = 'interrupted' then 'interrupted; the next run continues'
        when judged.state = 'held' then 'held by the guard ' || (judged.held ->> 'guard')
      end,
      case when judged.state = 'incomplete' then
        concat_ws(
          '; ',
          case when judged.certified is not true then 'a read was not proved complete' end,
          'records that could not be read: ' || nullif(judged.quarantined, 0),
          'changes that the platform rejected: ' || nullif(judged.failed, 0),
          case when judged.has_missed then 'readings by changes missed records' end
        )
      end,
      case when kept.forgotten then 'the platform still has items of people who were forgotten' end,
      case when kept.left_out then 'the platform still has items that were left out by hand' end
    ),
    ''
  ) as reason,
  work.is_running,
  success.run_id as last_success_run_id,
  success.finished_at as last_success_at,
  newest.next_due_at,
  success.agenda_items,
  success.speakers,
  success.attendees,
  newest.run_id as last_run_id,
  newest.status as last_run_status,
  newest.started_at as last_run_started_at
from sync.integrations as integration
-- The lock that a process holds while it works on an integration, as in pipeline/database/integration-lock.ts.
left join (
  select distinct (classid::bigint << 32) | objid::bigint as key
  from pg_locks
  where locktype = 'advisory'
    and mode = 'ExclusiveLock'
    and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
) as held_lock
  on held_lock.key = hashtextextended('event-content-sync ' || integration.integration_id, 0)
left join lateral (
  select run.run_id, run.status, run.started_at, run.next_due_at
  from sync.runs as run
  where run.integration_id = integration.integration_id
  order by run.run_id desc
  limit 1
) as newest on true
cross join lateral (
  select coalesce(newest.status in ('running', 'applying', 'applied') and held_lock.key is not null, false) as is_running
) as work
cross join lateral (
  select coalesce(newest.next_due_at + interval '15 minutes' <= now() and not work.is_running, false) as is_late
) as late
left join lateral (
  select last.action, last.until
  from (
    select action.action, action.until
    from sync.actions as action
    where action.integration_id = integration.integration_id
      and action.action in ('paused', 'rolled_back', 'resumed')
    order by action.action_id desc
    limit 1
  ) as last
  where last.action <> 'resumed'
    and (last.until is null or last.until > now())
) as pin on true
-- The newest run that has ended, or that no process works on any more. Runs that only planned are skipped. If the
-- integration is pinned, a run that sent nothing because of the pin can also determine the state.
left join lateral (
  select
    run.error,
    run.held,
    run.certified,
    (run.counts ->> 'quarantined')::bigint as quarantined,
    (run.counts ->> 'failed')::bigint as failed,
    coalesce(run.counts -> 'missed', '{}') <> '{}' as has_missed,
    case
      when run.pinned is not null and run.command = 'run' and run.status in ('planned', 'held') and pin.action is not null
        then 'pinned'
      when run.status in ('running', 'applying', 'applied') and run.error is null then 'interrupted'
      when run.status in ('running', 'applying', 'applied', 'failed') then 'failing'
      when run.status = 'held' or (run.held is not null and run.approved_at is null) then 'held'
      when run.certified is not true
        or (run.counts ->> 'quarantined')::bigint > run.max_quarantined
        or (run.counts ->> 'failed')::bigint > 0
        or run.counts -> 'missed' <> '{}' then 'incomplete'
      else 'up to date'
    end as state
  from sync.runs as run
  where run.integration_id = integration.integration_id
    and case
      when run.status = 'planned' then run.pinned is not null and run.command = 'run' and pin.action is not null
      when run.status in ('running', 'applying', 'applied') then held_lock.key is null
      else run.status <> 'abandoned'
    end
  order by run.run_id desc
  limit 1
) as judged on true
cross join lateral (
  -- `offset 0` makes PostgreSQL look for these items once, and not for each use of the result.
  select
    exists (
      select
      from sync.forgotten as gone
      join sync.platform_items as item
        on item.integration_id = gone.integration_id
        and item.content in ('speakers', 'attendees')
        and item.unique_id = gone.token
      where gone.integration_id = integration.integration_id
    ) as forgotten,
    exists (
      select
      from sync.suppressed as left_out
      join sync.platform_items as item
        on item.integration_id = integration.integration_id
        and item.content = left_out.content
        and item.unique_id = left_out.unique_id
      where left_out.source = integration.source
        and left_out.source_place = integration.source_place
        and left_out.source_event_id = integration.source_event_id
    ) as left_out
  offset 0
) as kept
cross join lateral (
  select
    case
      when judged.state in ('failing', 'interrupted') then judged.state
      when judged.state is null and pin.action is null then 'never run'
      when late.is_late and (pin.action is not null or judged.state = 'up to date') then 'overdue'
      when pin.action is not null then 'pinned'
      when judged.state = 'up to date' and (kept.forgotten or kept.left_out) then 'incomplete'
      else judged.state
    end as state
) as stated
left join lateral (
  select
    run.run_id,
    run.finished_at,
    items.agenda as agenda_items,
    items.speakers,
    items.attendees
  from sync.runs as run
  cross join lateral (
    select
      sum(item.count) filter (where content.name = 'agenda')::bigint as agenda,
      sum(item.count) filter (where content.name = 'speakers')::bigint as speakers,
      sum(item.count) filter (where content.name = 'attendees')::bigint as attendees
    from jsonb_each(run.counts -> 'changes') as content (name, figures)
    cross join lateral jsonb_each_text(content.figures) as action (name, count)
    cross join lateral (select action.count::bigint) as item (count)
    where action.name <> 'remove'
  ) as items
  where run.integration_id = integration.integration_id
    and run.status = 'finished'
  order by run.run_id desc
  limit 1
) as success on true;

comment on view published.integrations is 'State of each integration that has had a run, for monitoring. The state is the one that event-sync status shows, except for facts that are not in the database: changes of the configuration since the last run, and reasons why the next run would be refused. Key: integration_id.';
comment on column published.integrations.integration_id is 'Id of the integration.';
comment on column published.integrations.source is 'Type of the source, for example a.';
comment on column published.integrations.state is 'State of the integration, as in event-sync status. One of: failing, overdue, interrupted, held, incomplete, never run, pinned, up to date.';
comment on column published.integrations.reason is 'Why the state is not better, without values of people; null if there is nothing to report. event-sync status says more, and what to do.';
comment on column published.integrations.is_running is 'True if a run is under way.';
comment on column published.integrations.last_success_run_id is 'Id of the last finished run; null if no run has finished.';
comment on column published.integrations.last_success_at is 'Time at which the last finished run ended; null if no run has finished.';
comment on column published.integrations.next_due_at is 'Time at which the next scheduled run is or was due, by the schedule when the last run started; null if the integration had no schedule.';
comment on column published.integrations.agenda_items is 'Number of agenda items that the platform should have after the last finished run; null if this run did not plan the agenda.';
comment on column published.integrations.speakers is 'Number of speakers that the platform should have after the last finished run; null if this run did not plan speakers.';
comment on column published.integrations.attendees is 'Number of attendees that the platform should have after the last finished run; null if this run did not plan attendees.';
comment on column published.integrations.last_run_id is 'Id of the last run, even if this run only planned, failed or is under way.';
comment on column published.integrations.last_run_status is 'State of the last run. One of: running, planned, held, applying, applied, finished, failed, abandoned.';
comment on column published.integrations.last_run_started_at is 'Time at which the last run started.';
