-- Which sessions are at odd hours: outside the usual hours, past midnight, or very long?
--
-- Change hours and length in parameters. Times are local times, or UTC if the zone is not known. Odd hours are often the
-- sign that times were read in a wrong zone: compare time_zone with the zone of the venue.
-- One integration: add `where integration_id = 'summit'` to `agenda`.
with parameters as (
  select time '07:00' as earliest, time '22:00' as latest, interval '10 hours' as longest
), agenda as (
  select
    integration_id,
    unique_id,
    name,
    time_zone,
    coalesce(local_start, start_time at time zone 'UTC') as starts_at,
    coalesce(local_end, end_time at time zone 'UTC') as ends_at,
    end_time - start_time as length
  from published.agenda
)
select
  agenda.integration_id,
  agenda.unique_id,
  agenda.name,
  agenda.starts_at,
  agenda.ends_at,
  agenda.time_zone,
  concat_ws(
    ', ',
    case when agenda.starts_at::time < parameters.earliest then 'starts early' end,
    case when agenda.starts_at::time > parameters.latest then 'starts late' end,
    case
      -- A session that ends at midnight ends on the same day.
      when agenda.ends_at > agenda.starts_at::date + 1 then 'goes past midnight'
      when agenda.ends_at = agenda.starts_at::date + 1 or agenda.ends_at::time > parameters.latest then 'ends late'
    end,
    case when agenda.length > parameters.longest then 'long' end
  ) as odd
from agenda
cross join parameters
where agenda.starts_at::time not between parameters.earliest and parameters.latest
  or agenda.ends_at > agenda.starts_at::date + parameters.latest
  or agenda.length > parameters.longest
order by agenda.integration_id, agenda.starts_at, agenda.unique_id
