-- An instant on the clock on the wall; null in a zone that this server does not know, where it would fail by itself.
--
-- To PostgreSQL, CET and its like are summer and winter the same, as abbreviations; they are zones to sources.
create or replace function published.local_time(instant timestamptz, time_zone text)
returns timestamp
language plpgsql stable
as $body$
begin
  -- As the name of a zone, PostgreSQL would take an offset with the opposite sign.
  if time_zone ~ '^[+-]\d\d:\d\d$' then
    return instant at time zone time_zone::interval;
  end if;
  return instant at time zone case upper(time_zone)
    when 'CET' then 'Europe/Brussels'
    when 'MET' then 'Europe/Brussels'
    when 'EET' then 'Europe/Athens'
    when 'WET' then 'Europe/Lisbon'
    else time_zone
  end;
exception
  when invalid_parameter_value then
    return null;
end
$body$;
comment on function published.local_time(timestamptz, text) is 'An instant on the clock on the wall in a time zone (IANA name, or an offset such as -05:00); null where this database does not know the zone.';
