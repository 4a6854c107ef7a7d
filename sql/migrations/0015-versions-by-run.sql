-- What a run has written is looked over before its plan is stored: found by this, not by reading all history.
create index a_sessions_by_run on staging.a_sessions (integration_id, valid_from_run);
create index a_time_slots_by_run on staging.a_time_slots (integration_id, valid_from_run);
create index a_rooms_by_run on staging.a_rooms (integration_id, valid_from_run);
create index a_tracks_by_run on staging.a_tracks (integration_id, valid_from_run);
create index a_session_types_by_run on staging.a_session_types (integration_id, valid_from_run);
create index a_users_by_run on staging.a_users (integration_id, valid_from_run);
create index b_sessions_by_run on staging.b_sessions (integration_id, valid_from_run);
create index b_registrants_by_run on staging.b_registrants (integration_id, valid_from_run);
create index b_reg_types_by_run on staging.b_reg_types (integration_id, valid_from_run);
create index decisions_by_run on sync.decisions (integration_id, valid_from_run);
create index desired_items_by_run on sync.desired_items (integration_id, valid_from_run);
