-- Converts an instant to local time. Returns null if this server does not know the zone; `at time zone` would fail.
--
-- PostgreSQL takes CET, MET, EET and WET as abbreviations with a fixed offset. Sources mean time zones with summer
-- time.
create or replace function published.local_time(instant timestamptz, time_zone text)
returns timestamp
language plpgsql stable
as $body$
begin
  -- The offset is cast to an interval, because PostgreSQL reads the sign of an offset in a zone name the other way
  -- round.
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
comment on function published.local_time(timestamptz, text) is 'Converts an instant to local time in a time zone (IANA name, or an offset such as -05:00). The function returns null if this database does not know the time zone.';
