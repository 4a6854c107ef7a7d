-- What queries into the past build on: runs found by their id alone, and versions that are never empty.

create index runs_by_id on sync.runs (run_id);

do $$
declare
  versioned text;
begin
  foreach versioned in array array[
    'staging.a_sessions', 'staging.a_time_slots', 'staging.a_rooms', 'staging.a_tracks', 'staging.a_session_types',
    'staging.a_users', 'staging.b_sessions', 'staging.b_registrants', 'staging.b_reg_types',
    'sync.decisions', 'sync.desired_items'
  ] loop
    execute format(
      'alter table %s add constraint %I check (valid_to_run > valid_from_run)',
      versioned, split_part(versioned, '.', 2) || '_not_empty'
    );
  end loop;
end
$$;

comment on column sync.readings.place is 'Where the reader of the source goes on, in JSON, with the ids of the first and the last record; null before the first page. Personal.';
