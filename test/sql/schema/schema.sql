-- Made by `npm run dictionary` from a migrated database; a test fails where the two differ.

-- Schemas

create schema incoming;
create schema migration;
create schema published;
create schema staging;
create schema sync;

-- Tables

create table migration.applied (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now()
);

create table migration.resources (
  table_name text not null,
  source text collate "C" not null,
  resource text collate "C" not null,
  contents text[] not null,
  needed_for text[] not null
);

create table migration.sources (
  source text collate "C" not null,
  stated_reasons text[] not null
);

create table staging.a_rooms (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  name text,
  location text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table staging.a_session_types (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  title text,
  title_folded text collate "C",
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table staging.a_sessions (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  title text,
  description text,
  enabled boolean,
  visible_to_anonymous_users boolean,
  status text,
  time_slot_id text collate "C",
  room_id text collate "C",
  track_id text collate "C",
  session_type_id text collate "C",
  speaker_ids text[] collate "C" not null,
  link_urls text[] not null,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  custom jsonb
);

create table staging.a_time_slots (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  start_time timestamp with time zone,
  start_time_status text not null,
  end_time timestamp with time zone,
  end_time_status text not null,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table staging.a_tracks (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  title text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table staging.a_users (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  id text collate "C",
  first_name text,
  last_name text,
  email_address text,
  title text,
  company text,
  biography text,
  photo_link text,
  facebook_url text,
  linkedin_url text,
  has_speaker_role boolean not null,
  is_pending boolean,
  speaking_at text[] collate "C" not null,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  custom jsonb
);

create table staging.b_reg_types (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  name text,
  name_folded text collate "C",
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table staging.b_registrants (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  first_name text,
  last_name text,
  email text,
  job_title text,
  company text,
  bio text,
  mobile_phone text,
  twitter_handle text,
  reg_type_id text collate "C",
  reg_type_value text,
  reg_type_folded text collate "C",
  session_ids text[] collate "C" not null,
  cancelled_at text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  custom jsonb
);

create table staging.b_sessions (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  name text,
  description text,
  start_time timestamp with time zone,
  start_time_status text not null,
  end_time timestamp with time zone,
  end_time_status text not null,
  time_zone text,
  marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  custom jsonb
);

create table sync.batches (
  integration_id text collate "C" not null,
  run_id uuid not null,
  batch integer not null,
  phase text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  reach bigint not null,
  idempotency_key text not null,
  sha256 text not null,
  state text not null,
  sent_at timestamp with time zone not null,
  answered_at timestamp with time zone
);

create table sync.certificates (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  certified boolean not null,
  requests integer not null,
  attempts integer not null,
  bytes bigint not null,
  elements bigint not null,
  distinct_ids bigint,
  declared bigint,
  end_proof text not null,
  detail text not null,
  confirmed boolean,
  checksum numeric not null,
  forgotten bigint not null default 0,
  since text,
  staged_seen bigint,
  staged_unseen bigint,
  staged_checksum numeric,
  missed bigint,
  brought bigint
);

create table sync.changes (
  integration_id text collate "C" not null,
  run_id uuid not null,
  seq bigint not null,
  phase text not null,
  together bigint,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  action text not null,
  reason text not null,
  inferred boolean not null default false,
  before jsonb,
  after jsonb,
  change_hash bytea not null,
  state text not null,
  batch integer,
  alone boolean not null default false,
  freed boolean not null default false,
  result text,
  code text,
  retryable boolean
);

create table sync.decisions (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  resource text collate "C" not null,
  source_id text collate "C" not null,
  unique_id text collate "C",
  decision text not null,
  reason text not null,
  detail text not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table sync.desired_items (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  fields jsonb not null,
  valid_from_run uuid not null,
  valid_to_run uuid
);

create table sync.forgotten (
  integration_id text collate "C" not null,
  source text not null,
  source_place text not null,
  source_event_id text not null,
  token text collate "C" not null,
  id_mac bytea not null,
  forgotten_in text collate "C" not null,
  key_check bytea not null,
  sealed_id bytea,
  forgotten_at timestamp with time zone not null,
  forgotten_by text not null
);

create table sync.forgotten_addresses (
  integration_id text collate "C" not null,
  source text not null,
  source_place text not null,
  source_event_id text not null,
  address_mac bytea not null,
  forgotten_in text collate "C" not null,
  key_check bytea not null
);

create table sync.integrations (
  integration_id text collate "C" not null,
  source text not null,
  source_url text not null,
  source_place text not null,
  source_event_id text not null,
  platform text not null,
  platform_url text not null,
  platform_event_id text not null,
  owns_platform_event boolean not null default true,
  time_zone text,
  base bigint not null,
  fence bigint not null default 0,
  platform_fence bigint not null default 0,
  contents_read_back text[] not null default '{}'::text[],
  transform_basis bytea
);

create table sync.marks (
  integration_id text collate "C" not null,
  resource text collate "C" not null,
  full_at timestamp with time zone,
  full_certified boolean not null,
  set_aside bigint not null,
  undated bigint not null,
  shape text not null,
  asked_keys text[] not null,
  mark text collate "C",
  mark_id text collate "C",
  took_minutes integer not null,
  read_by_changes boolean not null
);

create table sync.misses (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  count bigint not null,
  fields jsonb not null,
  confirmed_in uuid,
  confirmed_at timestamp with time zone,
  confirmed_by text
);

create table sync.notices (
  integration_id text collate "C" not null,
  run_id uuid not null,
  told_end text not null,
  body text not null,
  made_at timestamp with time zone not null,
  sent_at timestamp with time zone
);

create table sync.passwords (
  integration_id text collate "C" not null,
  unique_id text collate "C" not null,
  sealed bytea not null
);

create table sync.platform_items (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  fields jsonb not null,
  run_id uuid not null,
  preexisting boolean not null default false
);

create table sync.purges (
  integration_id text collate "C" not null,
  purged_at timestamp with time zone not null,
  purged_by text not null,
  older_than_days integer not null,
  before_run uuid not null,
  rows jsonb not null,
  packs jsonb not null,
  told_by_run uuid,
  finished_at timestamp with time zone
);

create table sync.rate_budgets (
  host text collate "C" not null,
  credit_limit integer,
  credits_left integer,
  window_number bigint not null default 0,
  window_ms integer,
  resets_at timestamp with time zone,
  closed_until timestamp with time zone,
  changed_at timestamp with time zone not null default clock_timestamp()
);

create table sync.readings (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  shape text not null,
  place text,
  elements bigint not null,
  faults bigint not null,
  forgotten bigint not null default 0,
  checksum numeric not null,
  requests integer not null,
  attempts integer not null,
  end_proof text,
  declared bigint,
  saved_at timestamp with time zone not null
);

create table sync.reconciliation (
  integration_id text collate "C" not null,
  run_id uuid not null,
  place integer not null,
  content text collate "C" not null,
  resource text collate "C" not null,
  measure text not null,
  count numeric not null,
  expected numeric
);

create table sync.requests (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  page integer not null,
  url text not null,
  status integer not null,
  bytes bigint not null,
  sha256 text not null,
  elements integer not null,
  answered_at timestamp with time zone not null,
  source_at timestamp with time zone
);

create table sync.runs (
  integration_id text collate "C" not null,
  run_id uuid not null,
  command text not null,
  status text not null,
  started_at timestamp with time zone not null,
  planned_at timestamp with time zone,
  applied_at timestamp with time zone,
  finished_at timestamp with time zone,
  purged_at timestamp with time zone,
  product_version text not null,
  started_by text not null,
  approved_by text,
  approved_at timestamp with time zone,
  config_hash text not null,
  time_zone text,
  custom jsonb not null default '{}'::jsonb,
  contents text[] not null,
  base bigint not null,
  fence bigint,
  plan_hash text,
  certified boolean,
  held jsonb,
  counts jsonb,
  error text,
  figures_of uuid,
  personal_data text,
  excel boolean,
  suppressions jsonb,
  manifest_sha256 text,
  previous_manifest_sha256 text,
  gap jsonb,
  reissue_due boolean not null default false,
  database_bytes bigint
);

create table sync.superseded_manifests (
  integration_id text collate "C" not null,
  run_id uuid not null,
  place integer not null,
  sha256 text not null,
  manifest text not null,
  signature text,
  superseded_at timestamp with time zone not null
);

create table sync.suppressed (
  source text not null,
  source_place text not null,
  source_event_id text not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  integration_id text collate "C" not null,
  suppressed_at timestamp with time zone not null,
  suppressed_by text not null,
  reason text
);

create table sync.suppression_files (
  integration_id text collate "C" not null,
  revision bigint not null
);

create table sync.unseen (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  source_id text collate "C" not null
);

create table sync.unstaged (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  ordinal bigint not null,
  source_id text collate "C",
  id text collate "C",
  reason text not null,
  path text not null,
  detail text not null,
  row_check bigint
);


-- Constraints

alter table migration.applied add constraint applied_pkey PRIMARY KEY (name);
alter table migration.resources add constraint resources_pkey PRIMARY KEY (table_name);
alter table migration.sources add constraint sources_pkey PRIMARY KEY (source);
alter table staging.a_rooms add constraint a_rooms_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.a_rooms add constraint a_rooms_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.a_session_types add constraint a_session_types_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.a_session_types add constraint a_session_types_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.a_sessions add constraint a_sessions_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.a_sessions add constraint a_sessions_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.a_time_slots add constraint a_time_slots_end_time_status_check CHECK ((end_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text])));
alter table staging.a_time_slots add constraint a_time_slots_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.a_time_slots add constraint a_time_slots_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.a_time_slots add constraint a_time_slots_start_time_status_check CHECK ((start_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text])));
alter table staging.a_tracks add constraint a_tracks_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.a_tracks add constraint a_tracks_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.a_users add constraint a_users_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.a_users add constraint a_users_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.b_reg_types add constraint b_reg_types_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.b_reg_types add constraint b_reg_types_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.b_registrants add constraint b_registrants_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.b_registrants add constraint b_registrants_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.b_sessions add constraint b_sessions_end_time_status_check CHECK ((end_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text])));
alter table staging.b_sessions add constraint b_sessions_not_empty CHECK ((valid_to_run > valid_from_run));
alter table staging.b_sessions add constraint b_sessions_pkey PRIMARY KEY (integration_id, source_id, valid_from_run);
alter table staging.b_sessions add constraint b_sessions_start_time_status_check CHECK ((start_time_status = ANY (ARRAY['absent'::text, 'read'::text, 'ambiguous'::text, 'unreadable'::text])));
alter table sync.batches add constraint batches_phase_check CHECK ((phase = ANY (ARRAY['freeing'::text, 'upserts'::text, 'removals'::text])));
alter table sync.batches add constraint batches_pkey PRIMARY KEY (integration_id, run_id, batch);
alter table sync.batches add constraint batches_state_check CHECK ((state = ANY (ARRAY['sent'::text, 'answered'::text, 'refused'::text])));
alter table sync.certificates add constraint certificates_pkey PRIMARY KEY (integration_id, run_id, resource);
alter table sync.changes add constraint changes_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'handover'::text, 'remove'::text])));
alter table sync.changes add constraint changes_integration_id_run_id_content_unique_id_key UNIQUE (integration_id, run_id, content, unique_id);
alter table sync.changes add constraint changes_phase_check CHECK ((phase = ANY (ARRAY['freeing'::text, 'upserts'::text, 'removals'::text])));
alter table sync.changes add constraint changes_pkey PRIMARY KEY (integration_id, run_id, seq);
alter table sync.changes add constraint changes_result_check CHECK ((result = ANY (ARRAY['created'::text, 'updated'::text, 'unchanged'::text, 'removed'::text, 'failed'::text])));
alter table sync.changes add constraint changes_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'applied'::text, 'failed'::text, 'withheld'::text])));
alter table sync.decisions add constraint decisions_decision_check CHECK ((decision = ANY (ARRAY['synced'::text, 'excluded'::text])));
alter table sync.decisions add constraint decisions_not_empty CHECK ((valid_to_run > valid_from_run));
alter table sync.decisions add constraint decisions_pkey PRIMARY KEY (integration_id, content, source_id, valid_from_run);
alter table sync.desired_items add constraint desired_items_not_empty CHECK ((valid_to_run > valid_from_run));
alter table sync.desired_items add constraint desired_items_pkey PRIMARY KEY (integration_id, content, unique_id, valid_from_run);
alter table sync.forgotten add constraint forgotten_integration_id_id_mac_key UNIQUE (integration_id, id_mac);
alter table sync.forgotten add constraint forgotten_pkey PRIMARY KEY (integration_id, token);
alter table sync.forgotten_addresses add constraint forgotten_addresses_pkey PRIMARY KEY (integration_id, address_mac);
alter table sync.integrations add constraint integrations_pkey PRIMARY KEY (integration_id);
alter table sync.marks add constraint marks_pkey PRIMARY KEY (integration_id, resource);
alter table sync.misses add constraint misses_pkey PRIMARY KEY (integration_id, run_id, resource);
alter table sync.notices add constraint notices_pkey PRIMARY KEY (integration_id, run_id, told_end);
alter table sync.notices add constraint notices_told_end_check CHECK ((told_end = ANY (ARRAY['held'::text, 'failed'::text, 'incomplete'::text, 'finished'::text])));
alter table sync.passwords add constraint passwords_pkey PRIMARY KEY (integration_id, unique_id);
alter table sync.platform_items add constraint platform_items_pkey PRIMARY KEY (integration_id, content, unique_id);
alter table sync.purges add constraint purges_pkey PRIMARY KEY (integration_id, purged_at);
alter table sync.rate_budgets add constraint rate_budgets_pkey PRIMARY KEY (host);
alter table sync.readings add constraint readings_pkey PRIMARY KEY (integration_id, run_id, resource);
alter table sync.reconciliation add constraint reconciliation_pkey PRIMARY KEY (integration_id, run_id, place);
alter table sync.requests add constraint requests_pkey PRIMARY KEY (integration_id, run_id, resource, page);
alter table sync.runs add constraint runs_command_check CHECK ((command = ANY (ARRAY['run'::text, 'plan'::text])));
alter table sync.runs add constraint runs_personal_data_check CHECK ((personal_data = ANY (ARRAY['full'::text, 'masked'::text])));
alter table sync.runs add constraint runs_pkey PRIMARY KEY (integration_id, run_id);
alter table sync.runs add constraint runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'planned'::text, 'held'::text, 'applying'::text, 'applied'::text, 'finished'::text, 'failed'::text, 'abandoned'::text])));
alter table sync.superseded_manifests add constraint superseded_manifests_integration_id_run_id_sha256_key UNIQUE (integration_id, run_id, sha256);
alter table sync.superseded_manifests add constraint superseded_manifests_pkey PRIMARY KEY (integration_id, run_id, place);
alter table sync.suppressed add constraint suppressed_content_check CHECK ((content = ANY (ARRAY['agenda'::text, 'speakers'::text, 'attendees'::text])));
alter table sync.suppressed add constraint suppressed_pkey PRIMARY KEY (integration_id, source, source_place, source_event_id, content, unique_id);
alter table sync.suppression_files add constraint suppression_files_pkey PRIMARY KEY (integration_id);
alter table sync.unseen add constraint unseen_pkey PRIMARY KEY (integration_id, run_id, resource, source_id);
alter table sync.unstaged add constraint unstaged_pkey PRIMARY KEY (integration_id, run_id, resource, ordinal);
alter table sync.unstaged add constraint unstaged_reason_check CHECK ((reason = ANY (ARRAY['invalid_record'::text, 'duplicate_id'::text])));

-- Indexes

CREATE INDEX a_rooms_by_run ON staging.a_rooms USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX a_rooms_current ON staging.a_rooms USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX a_session_types_by_run ON staging.a_session_types USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX a_session_types_current ON staging.a_session_types USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX a_sessions_by_run ON staging.a_sessions USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX a_sessions_current ON staging.a_sessions USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX a_time_slots_by_run ON staging.a_time_slots USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX a_time_slots_current ON staging.a_time_slots USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX a_tracks_by_run ON staging.a_tracks USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX a_tracks_current ON staging.a_tracks USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX a_users_by_run ON staging.a_users USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX a_users_current ON staging.a_users USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX b_reg_types_by_run ON staging.b_reg_types USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX b_reg_types_current ON staging.b_reg_types USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX b_registrants_by_run ON staging.b_registrants USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX b_registrants_current ON staging.b_registrants USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX b_sessions_by_run ON staging.b_sessions USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX b_sessions_current ON staging.b_sessions USING btree (integration_id, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX changes_alone ON sync.changes USING btree (integration_id, run_id, seq) WHERE alone;
CREATE INDEX changes_before_upserts ON sync.changes USING btree (integration_id, run_id, seq) WHERE ((phase = 'freeing'::text) OR (action = 'handover'::text));
CREATE INDEX decisions_by_run ON sync.decisions USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX decisions_current ON sync.decisions USING btree (integration_id, content, source_id) WHERE (valid_to_run IS NULL);
CREATE INDEX decisions_ended ON sync.decisions USING btree (integration_id, valid_to_run) WHERE (valid_to_run IS NOT NULL);
CREATE INDEX desired_items_by_run ON sync.desired_items USING btree (integration_id, valid_from_run);
CREATE UNIQUE INDEX desired_items_current ON sync.desired_items USING btree (integration_id, content, unique_id) WHERE (valid_to_run IS NULL);
CREATE INDEX desired_items_ended ON sync.desired_items USING btree (integration_id, valid_to_run) WHERE (valid_to_run IS NOT NULL);
CREATE UNIQUE INDEX integrations_platform_event ON sync.integrations USING btree (platform, platform_url, platform_event_id) WHERE (owns_platform_event AND (platform_url <> ''::text));
CREATE INDEX runs_by_id ON sync.runs USING btree (run_id);
CREATE INDEX unstaged_by_source_id ON sync.unstaged USING btree (integration_id, run_id, resource, COALESCE(source_id, ''::text), ordinal);

-- Views: their queries are in sql/views

view published.agenda (
  integration_id text,
  unique_id text,
  name text,
  start_time timestamp with time zone,
  end_time timestamp with time zone,
  local_start timestamp without time zone,
  local_end timestamp without time zone,
  time_zone text,
  description text,
  location text,
  session_tracks text[],
  filter_group text,
  sub_filters text[],
  speaker_ids text[],
  link_urls text[],
  run_id uuid,
  custom jsonb
)

view published.agenda_by_run (
  integration_id text,
  unique_id text,
  name text,
  start_time timestamp with time zone,
  end_time timestamp with time zone,
  local_start timestamp without time zone,
  local_end timestamp without time zone,
  time_zone text,
  description text,
  location text,
  session_tracks text[],
  filter_group text,
  sub_filters text[],
  speaker_ids text[],
  link_urls text[],
  run_id uuid,
  is_latest boolean,
  custom jsonb
)

view published.attendee_sessions (
  integration_id text,
  attendee_id text,
  session_id text
)

view published.attendees (
  integration_id text,
  unique_id text,
  first_name text,
  last_name text,
  email_address text,
  title text,
  company text,
  biography text,
  phone text,
  personal_agenda text[],
  run_id uuid,
  custom jsonb
)

view published.attendees_by_run (
  integration_id text,
  unique_id text,
  first_name text,
  last_name text,
  email_address text,
  title text,
  company text,
  biography text,
  phone text,
  personal_agenda text[],
  run_id uuid,
  is_latest boolean,
  custom jsonb
)

view published.changes (
  integration_id text,
  run_id uuid,
  content text,
  unique_id text,
  action text,
  reason text,
  field text,
  before jsonb,
  after jsonb
)

view published.decisions (
  integration_id text,
  content text,
  resource text,
  source_id text,
  unique_id text,
  decision text,
  reason text,
  detail text,
  run_id uuid
)

view published.load_results (
  integration_id text,
  run_id uuid,
  seq bigint,
  content text,
  unique_id text,
  op text,
  status text
)

view published.purged_runs (
  integration_id text,
  run_id uuid,
  started_at timestamp with time zone,
  applied_at timestamp with time zone,
  purged_at timestamp with time zone
)

view published.runs (
  integration_id text,
  run_id uuid,
  started_at timestamp with time zone,
  planned_at timestamp with time zone,
  applied_at timestamp with time zone,
  finished_at timestamp with time zone,
  contents text[],
  certified boolean,
  plan_hash text,
  counts jsonb,
  product_version text,
  is_latest boolean,
  run_before uuid
)

view published.session_speakers (
  integration_id text,
  session_id text,
  speaker_id text
)

view published.speakers (
  integration_id text,
  unique_id text,
  first_name text,
  last_name text,
  title text,
  company text,
  description text,
  image_url text,
  session_ids text[],
  attendee_id text,
  facebook_url text,
  linkedin_url text,
  twitter text,
  run_id uuid,
  custom jsonb
)

view published.speakers_by_run (
  integration_id text,
  unique_id text,
  first_name text,
  last_name text,
  title text,
  company text,
  description text,
  image_url text,
  session_ids text[],
  attendee_id text,
  facebook_url text,
  linkedin_url text,
  twitter text,
  run_id uuid,
  is_latest boolean,
  custom jsonb
)

view staging.runs (
  integration_id text,
  run_id uuid,
  started_at timestamp with time zone,
  staged_at timestamp with time zone,
  certified boolean,
  status text,
  run_before uuid,
  is_latest boolean
)

view sync.contracted_fields (
  content text,
  texts text[],
  lists text[]
)

view sync.last_applied_runs (
  integration_id text,
  run_id uuid,
  contents text[],
  status text,
  counts jsonb
)

view sync.last_planned_runs (
  integration_id text,
  run_id uuid,
  source text,
  contents text[],
  status text,
  is_current boolean,
  counts jsonb
)

view sync.records (
  integration_id text,
  source text,
  resource text,
  contents text[],
  source_id text,
  valid_from_run uuid,
  valid_to_run uuid
)


-- Functions

CREATE OR REPLACE FUNCTION migration.define_as_of(content text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  columns text;
begin
  select string_agg(format('item.%I', attname), ', ' order by attnum)
  into columns
  from pg_attribute
  where attrelid = format('published.%I', content)::regclass
    and attnum > 0
    and not attisdropped;
  execute format($template$
create or replace function published.%1$I(run uuid)
returns setof published.%2$I
language sql stable parallel safe
as $of$
select %4$s
from published.%3$I as item
where item.run_id = %1$I.run
$of$
$template$, content || '_as_of', content, content || '_by_run', columns);
end
$function$;

CREATE OR REPLACE FUNCTION migration.define_history(staged text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  is_personal boolean;
begin
  is_personal := (
    select col_description(attrelid, attnum) like '% Personal.'
    from pg_attribute
    where attrelid = format('staging.%I', staged)::regclass
      and attname = 'doc'
  );
  -- `staged.*` is the row type that the function returns, also after a column was added to the table.
  execute format($template$
create or replace function staging.%1$I(run uuid)
returns setof staging.%2$I
language sql stable parallel safe
as $body$
select staged.*
from staging.runs as as_of
join staging.%2$I as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= %1$I.run
  and (staged.valid_to_run is null or staged.valid_to_run > %1$I.run)
where as_of.run_id = %1$I.run
$body$
$template$, staged || '_as_of', staged);
  execute format(
    'comment on function staging.%I(uuid) is %L', staged || '_as_of',
    format('Rows of staging.%s as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.', staged)
      || case when is_personal then ' Personal.' else '' end
  );

  -- Versions that hold at both runs are never compared. A version whose columns are as before is no change: the
  -- options of the integration or the rules of the product may have given it a new hash.
  execute format($template$
create or replace function staging.%1$I(from_run uuid, to_run uuid)
returns table (
  integration_id text,
  source_id text,
  change text,
  changed_columns text[],
  before staging.%2$I,
  after staging.%2$I
)
language sql stable parallel safe
as $body$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.%2$I as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= %1$I.from_run
      and staged.valid_to_run > %1$I.from_run
      and staged.valid_to_run <= %1$I.to_run
    where one.run_id = %1$I.from_run
      and other.run_id = %1$I.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.%2$I as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > %1$I.from_run
      and staged.valid_from_run <= %1$I.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > %1$I.to_run)
    where one.run_id = %1$I.from_run
      and other.run_id = %1$I.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$body$
$template$, staged || '_between', staged);
  execute format(
    'comment on function staging.%I(uuid, uuid) is %L', staged || '_between',
    format('What changed in staging.%s from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.', staged)
      || case when is_personal then ' Personal.' else '' end
  );
end
$function$;

CREATE OR REPLACE FUNCTION migration.define_records()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute 'create or replace view sync.records as ' || (
    select string_agg(
      format(
        'select record.integration_id, %L::text as source, %L::text collate "C" as resource, %L::text[] as contents, record.source_id, record.valid_from_run, record.valid_to_run from staging.%I as record',
        source, resource, contents, table_name
      ),
      ' union all ' order by table_name
    )
    from migration.resources
  );
end
$function$;

CREATE OR REPLACE FUNCTION migration.define_view(view text, query text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  columns text;
begin
  execute format('create temporary view defined as %s', query);
  select string_agg(format('defined.%I', wanted.attname), ', ' order by known.attnum nulls last, wanted.attnum)
  into columns
  from pg_attribute as wanted
  left join pg_attribute as known
    on known.attrelid = to_regclass(view)
    and known.attname = wanted.attname
    and not known.attisdropped
  where wanted.attrelid = 'pg_temp.defined'::regclass
    and wanted.attnum > 0;
  drop view pg_temp.defined;
  execute format('create or replace view %s as select %s from (%s) as defined', view, columns, query);
end
$function$;

CREATE OR REPLACE FUNCTION migration.staging_changed(table_name text, source text, resource text, contents text[], needed_for text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into migration.resources as known (table_name, source, resource, contents, needed_for)
  values (staging_changed.table_name, staging_changed.source, staging_changed.resource, staging_changed.contents, staging_changed.needed_for)
  on conflict on constraint resources_pkey do update
  set source = excluded.source, resource = excluded.resource, contents = excluded.contents, needed_for = excluded.needed_for;
  if to_regprocedure('migration.define_history(text)') is not null then
    perform migration.define_history(staging_changed.table_name);
  end if;
  if to_regprocedure('migration.define_records()') is not null then
    perform migration.define_records();
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION published.agenda_as_of(run uuid)
 RETURNS SETOF published.agenda
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select item.integration_id, item.unique_id, item.name, item.start_time, item.end_time, item.local_start, item.local_end, item.time_zone, item.description, item.location, item.session_tracks, item.filter_group, item.sub_filters, item.speaker_ids, item.link_urls, item.run_id, item.custom
from published.agenda_by_run as item
where item.run_id = agenda_as_of.run
$function$;

CREATE OR REPLACE FUNCTION published.attendees_as_of(run uuid)
 RETURNS SETOF published.attendees
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select item.integration_id, item.unique_id, item.first_name, item.last_name, item.email_address, item.title, item.company, item.biography, item.phone, item.personal_agenda, item.run_id, item.custom
from published.attendees_by_run as item
where item.run_id = attendees_as_of.run
$function$;

CREATE OR REPLACE FUNCTION published.local_time(instant timestamp with time zone, time_zone text)
 RETURNS timestamp without time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION published.speakers_as_of(run uuid)
 RETURNS SETOF published.speakers
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select item.integration_id, item.unique_id, item.first_name, item.last_name, item.title, item.company, item.description, item.image_url, item.session_ids, item.attendee_id, item.facebook_url, item.linkedin_url, item.twitter, item.run_id, item.custom
from published.speakers_by_run as item
where item.run_id = speakers_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_rooms_as_of(run uuid)
 RETURNS SETOF staging.a_rooms
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.a_rooms as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_rooms_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_rooms_as_of.run)
where as_of.run_id = a_rooms_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_rooms_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_rooms, after staging.a_rooms)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_rooms as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_rooms_between.from_run
      and staged.valid_to_run > a_rooms_between.from_run
      and staged.valid_to_run <= a_rooms_between.to_run
    where one.run_id = a_rooms_between.from_run
      and other.run_id = a_rooms_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_rooms as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_rooms_between.from_run
      and staged.valid_from_run <= a_rooms_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_rooms_between.to_run)
    where one.run_id = a_rooms_between.from_run
      and other.run_id = a_rooms_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.a_session_types_as_of(run uuid)
 RETURNS SETOF staging.a_session_types
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.a_session_types as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_session_types_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_session_types_as_of.run)
where as_of.run_id = a_session_types_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_session_types_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_session_types, after staging.a_session_types)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_session_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_session_types_between.from_run
      and staged.valid_to_run > a_session_types_between.from_run
      and staged.valid_to_run <= a_session_types_between.to_run
    where one.run_id = a_session_types_between.from_run
      and other.run_id = a_session_types_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_session_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_session_types_between.from_run
      and staged.valid_from_run <= a_session_types_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_session_types_between.to_run)
    where one.run_id = a_session_types_between.from_run
      and other.run_id = a_session_types_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.a_sessions_as_of(run uuid)
 RETURNS SETOF staging.a_sessions
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.a_sessions as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_sessions_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_sessions_as_of.run)
where as_of.run_id = a_sessions_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_sessions_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_sessions, after staging.a_sessions)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_sessions_between.from_run
      and staged.valid_to_run > a_sessions_between.from_run
      and staged.valid_to_run <= a_sessions_between.to_run
    where one.run_id = a_sessions_between.from_run
      and other.run_id = a_sessions_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_sessions_between.from_run
      and staged.valid_from_run <= a_sessions_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_sessions_between.to_run)
    where one.run_id = a_sessions_between.from_run
      and other.run_id = a_sessions_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.a_time_slots_as_of(run uuid)
 RETURNS SETOF staging.a_time_slots
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.a_time_slots as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_time_slots_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_time_slots_as_of.run)
where as_of.run_id = a_time_slots_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_time_slots_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_time_slots, after staging.a_time_slots)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_time_slots as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_time_slots_between.from_run
      and staged.valid_to_run > a_time_slots_between.from_run
      and staged.valid_to_run <= a_time_slots_between.to_run
    where one.run_id = a_time_slots_between.from_run
      and other.run_id = a_time_slots_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_time_slots as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_time_slots_between.from_run
      and staged.valid_from_run <= a_time_slots_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_time_slots_between.to_run)
    where one.run_id = a_time_slots_between.from_run
      and other.run_id = a_time_slots_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.a_tracks_as_of(run uuid)
 RETURNS SETOF staging.a_tracks
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.a_tracks as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_tracks_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_tracks_as_of.run)
where as_of.run_id = a_tracks_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_tracks_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_tracks, after staging.a_tracks)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_tracks as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_tracks_between.from_run
      and staged.valid_to_run > a_tracks_between.from_run
      and staged.valid_to_run <= a_tracks_between.to_run
    where one.run_id = a_tracks_between.from_run
      and other.run_id = a_tracks_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_tracks as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_tracks_between.from_run
      and staged.valid_from_run <= a_tracks_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_tracks_between.to_run)
    where one.run_id = a_tracks_between.from_run
      and other.run_id = a_tracks_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.a_users_as_of(run uuid)
 RETURNS SETOF staging.a_users
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.a_users as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= a_users_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > a_users_as_of.run)
where as_of.run_id = a_users_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.a_users_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.a_users, after staging.a_users)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_users as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= a_users_between.from_run
      and staged.valid_to_run > a_users_between.from_run
      and staged.valid_to_run <= a_users_between.to_run
    where one.run_id = a_users_between.from_run
      and other.run_id = a_users_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.a_users as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > a_users_between.from_run
      and staged.valid_from_run <= a_users_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > a_users_between.to_run)
    where one.run_id = a_users_between.from_run
      and other.run_id = a_users_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.b_reg_types_as_of(run uuid)
 RETURNS SETOF staging.b_reg_types
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.b_reg_types as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= b_reg_types_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > b_reg_types_as_of.run)
where as_of.run_id = b_reg_types_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.b_reg_types_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.b_reg_types, after staging.b_reg_types)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_reg_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= b_reg_types_between.from_run
      and staged.valid_to_run > b_reg_types_between.from_run
      and staged.valid_to_run <= b_reg_types_between.to_run
    where one.run_id = b_reg_types_between.from_run
      and other.run_id = b_reg_types_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_reg_types as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > b_reg_types_between.from_run
      and staged.valid_from_run <= b_reg_types_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > b_reg_types_between.to_run)
    where one.run_id = b_reg_types_between.from_run
      and other.run_id = b_reg_types_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.b_registrants_as_of(run uuid)
 RETURNS SETOF staging.b_registrants
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.b_registrants as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= b_registrants_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > b_registrants_as_of.run)
where as_of.run_id = b_registrants_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.b_registrants_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.b_registrants, after staging.b_registrants)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_registrants as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= b_registrants_between.from_run
      and staged.valid_to_run > b_registrants_between.from_run
      and staged.valid_to_run <= b_registrants_between.to_run
    where one.run_id = b_registrants_between.from_run
      and other.run_id = b_registrants_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_registrants as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > b_registrants_between.from_run
      and staged.valid_from_run <= b_registrants_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > b_registrants_between.to_run)
    where one.run_id = b_registrants_between.from_run
      and other.run_id = b_registrants_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION staging.b_sessions_as_of(run uuid)
 RETURNS SETOF staging.b_sessions
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select staged.*
from staging.runs as as_of
join staging.b_sessions as staged
  on staged.integration_id = as_of.integration_id
  and staged.valid_from_run <= b_sessions_as_of.run
  and (staged.valid_to_run is null or staged.valid_to_run > b_sessions_as_of.run)
where as_of.run_id = b_sessions_as_of.run
$function$;

CREATE OR REPLACE FUNCTION staging.b_sessions_between(from_run uuid, to_run uuid)
 RETURNS TABLE(integration_id text, source_id text, change text, changed_columns text[], before staging.b_sessions, after staging.b_sessions)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select compared.integration_id, compared.source_id, compared.change, compared.changed_columns, compared.before, compared.after
from (
  select
    integration_id,
    source_id,
    case
      when ended.version is null then 'added'
      when begun.version is null then 'removed'
      else 'changed'
    end as change,
    case when ended.version is null or begun.version is null then '{}' else array(
      select name
      from jsonb_each(to_jsonb(ended.version)) as was (name, value)
      join jsonb_each(to_jsonb(begun.version)) as now (name, value)
        using (name)
      where was.value <> now.value
        and name not in ('version_hash', 'valid_from_run', 'valid_to_run')
      order by name collate "C"
    ) end as changed_columns,
    ended.version as before,
    begun.version as after
  from (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run <= b_sessions_between.from_run
      and staged.valid_to_run > b_sessions_between.from_run
      and staged.valid_to_run <= b_sessions_between.to_run
    where one.run_id = b_sessions_between.from_run
      and other.run_id = b_sessions_between.to_run
  ) as ended
  full join (
    select staged.integration_id, staged.source_id, staged as version
    from staging.runs as one
    join staging.runs as other
      on other.integration_id = one.integration_id
    join staging.b_sessions as staged
      on staged.integration_id = one.integration_id
      and staged.valid_from_run > b_sessions_between.from_run
      and staged.valid_from_run <= b_sessions_between.to_run
      and (staged.valid_to_run is null or staged.valid_to_run > b_sessions_between.to_run)
    where one.run_id = b_sessions_between.from_run
      and other.run_id = b_sessions_between.to_run
  ) as begun
    using (integration_id, source_id)
  -- Keeps the comparison in here: it is made once, not for the condition and again for the reader.
  offset 0
) as compared
where compared.change <> 'changed'
  or compared.changed_columns <> '{}'
$function$;

CREATE OR REPLACE FUNCTION sync.fold_case(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
select case
  -- Most texts have no other letters.
  when octet_length(value) = char_length(value) then lower(value collate "C")
  else (
    select case
      when used.letters is null then value
      -- One letter after the other is looked up among these: of all that there are it would take minutes for a long text.
      when char_length(used.letters) <= 100
        then translate(value, used.letters, translate(used.letters, pairs.letters, pairs.folded))
      else (
        select string_agg(coalesce(pair.folded, one.letter), '' order by one.place)
        from string_to_table(value, null) with ordinality as one (letter, place)
        left join unnest(string_to_array(pairs.letters, null), string_to_array(pairs.folded, null)) as pair (letter, folded)
          on pair.letter = one.letter collate "C"
      )
    end
    from (values (
      'ABCDEFGHIJKLMNOPQRSTUVWXYZµÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘ'
      'ŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖ'
      'ȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІ'
      'ЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜ'
      'ӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴ'
      'ႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᏸᏹᏺᏻᏼᏽᲀᲁᲂᲃᲄᲅᲆᲇᲈᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤ'
      'ḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẛẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲ'
      'ỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼιῈΈῊΉῌΐῘῙῚΊΰῨῩῪΎῬ'
      'ῸΌῺΏῼΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯ'
      'ⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐ'
      'ꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵꭰꭱ'
      'ꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿﬅＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵ'
      'ＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃'
      '𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪'
      '𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕'
      '𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡',
      'abcdefghijklmnopqrstuvwxyzμàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗř'
      'śŝşšţťŧũūŭůűųŵŷÿźżžsɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗ'
      'șțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕі'
      'їјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝ'
      'ӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔ'
      'ⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭᏰᏱᏲᏳᏴᏵвдосттъѣꙋᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥ'
      'ḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕṡßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳ'
      'ỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳιὲέὴήῃΐῐῑὶίΰῠῡὺύῥ'
      'ὸόὼώῳωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟ'
      'ⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑ'
      'ꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶᎠᎡ'
      'ᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯﬆａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕ'
      'ｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪'
      '𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊'
      '𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷'
      '𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃'
    )) as pairs (letters, folded)
    cross join lateral (
      select string_agg(distinct letter collate "C", '') as letters
      from string_to_table(regexp_replace(value collate "C", '[^' || pairs.letters || ']+', '', 'g'), null) as letter
    ) as used
  )
end
$function$;

CREATE OR REPLACE FUNCTION sync.lease_credits(of_host text, request_cost integer, wanted integer, returned integer, returned_window bigint, told_limit integer, told_left integer, told_reset_ms integer, told_closed_ms integer)
 RETURNS TABLE(granted integer, wait_ms integer, of_window bigint)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
  budget sync.rate_budgets;
  at_time timestamptz;
begin
  insert into sync.rate_budgets (host) values (of_host) on conflict (host) do nothing;
  select * into budget from sync.rate_budgets where host = of_host for update;
  -- Not the time at which the transaction began: it may have waited for the row.
  at_time := clock_timestamp();

  if budget.resets_at <= at_time then
    budget.window_number := budget.window_number + 1;
    -- A limit below the cost of a request counts something else: one goes, and its answer says more.
    budget.credits_left := case when budget.credit_limit is null then null else greatest(budget.credit_limit, request_cost) end;
    -- Until an answer tells the end of the new window: that of the longest one, and a second, since the host begins it when
    -- a request arrives. What an answer tells is sooner, and holds then.
    budget.resets_at := case
      when budget.credit_limit is null then null
      else at_time + (coalesce(budget.window_ms, 60000) + 1000) * interval '1 millisecond'
    end;
  elsif returned > 0 and returned_window = budget.window_number then
    budget.credits_left := least(budget.credits_left + returned, greatest(budget.credit_limit, request_cost));
  end if;

  budget.credit_limit := coalesce(told_limit, budget.credit_limit);
  if told_left is not null and told_reset_ms > 0 then
    -- Never more than before: an answer may be older than what others have taken since.
    budget.credits_left := greatest(0, least(coalesce(budget.credits_left, told_left), told_left));
    budget.window_ms := greatest(coalesce(budget.window_ms, told_reset_ms), told_reset_ms);
    budget.resets_at := least(
      coalesce(budget.resets_at, 'infinity'),
      at_time + told_reset_ms * interval '1 millisecond'
    );
  end if;
  if told_closed_ms > 0 then
    budget.closed_until := greatest(
      coalesce(budget.closed_until, '-infinity'),
      at_time + told_closed_ms * interval '1 millisecond'
    );
  end if;

  of_window := budget.window_number;
  wait_ms := 0;
  if budget.closed_until > at_time then
    granted := 0;
    wait_ms := ceil(extract(epoch from budget.closed_until - at_time) * 1000);
  elsif budget.credits_left is null then
    granted := null;
  elsif wanted = 0 then
    granted := 0;
  elsif budget.credits_left < request_cost then
    granted := 0;
    wait_ms := greatest(1, ceil(extract(epoch from budget.resets_at - at_time) * 1000));
  else
    -- Whole requests, and half of what is left at most, so that nobody takes it all.
    granted := greatest(1, least(wanted, budget.credits_left / 2) / request_cost) * request_cost;
    budget.credits_left := budget.credits_left - granted;
  end if;

  update sync.rate_budgets
  set credit_limit = budget.credit_limit,
    credits_left = budget.credits_left,
    window_number = budget.window_number,
    window_ms = budget.window_ms,
    resets_at = budget.resets_at,
    closed_until = budget.closed_until,
    changed_at = at_time
  where host = of_host;
  return next;
end
$function$;

CREATE OR REPLACE FUNCTION sync.refresh_statistics(written regclass)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
 SET default_statistics_target TO '20'
AS $function$
begin
  -- No query looks for a whole document or a hash, and these are what it takes longest to sample.
  execute (
    select format('analyze %s (%s)', written, string_agg(quote_ident(attname), ', ' order by attnum))
    from pg_attribute
    where attrelid = written
      and attnum > 0
      and not attisdropped
      and atttypid not in ('jsonb'::regtype, 'bytea'::regtype)
  );
end
$function$;

CREATE OR REPLACE FUNCTION sync.unsigned_address(address text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
select coalesce(
  (
    select parts.text[1] || coalesce('?' || (
      select string_agg(parameter, '&' order by place)
      from string_to_table(parts.text[2], '&') with ordinality as one (parameter, place)
      where parameter collate "C" !~* '^(x-amz-[^=]*|x-goog-[^=]*|signature|expires|key-pair-id|policy|awsaccesskeyid|googleaccessid|sig|se|sp|sv|sr|st|sk(?:oid|tid|t|e|s|v)|spr|sip|token)(=|$)'
    ), '') || parts.text[3]
    from regexp_match(address, '^([^?#]*)\?([^#]*)(.*)$') as parts (text)
  ),
  address
)
$function$;

CREATE OR REPLACE FUNCTION sync.unsigned_addresses(value jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
select case jsonb_typeof(value)
  when 'string' then to_jsonb(sync.unsigned_address(value #>> '{}'))
  when 'array' then (
    select coalesce(jsonb_agg(sync.unsigned_address(address) order by place), '[]')
    from jsonb_array_elements_text(value) with ordinality as one (address, place)
  )
  else value
end
$function$;


-- Triggers, sequences, types


-- Comments

comment on schema incoming is 'Records of runs that are being read; a table a run and resource, dropped when it is merged into staging. Not for readers.';
comment on schema migration is 'Which migrations and views of the product this database has.';
comment on table migration.applied is 'Files of sql/migrations and sql/views that were applied, and tables of staging.';
comment on column migration.applied.name is 'File.';
comment on column migration.applied.sha256 is 'SHA-256 of the file as it was applied.';
comment on column migration.applied.applied_at is 'When.';
comment on function migration.define_as_of(content text) is 'Makes or replaces published.<content>_as_of.';
comment on function migration.define_history(staged text) is 'Makes or replaces staging.<table>_as_of and staging.<table>_between.';
comment on function migration.define_records() is 'Makes or replaces sync.records.';
comment on function migration.define_view(view text, query text) is 'Makes or replaces a view; columns that it has keep their order, and new ones come last.';
comment on table migration.resources is 'Resources of the sources that this database knows, with their tables in staging.';
comment on column migration.resources.table_name is 'Table of staging that holds the records.';
comment on column migration.resources.source is 'Source, as in sync.integrations.';
comment on column migration.resources.resource is 'Name of the resource.';
comment on column migration.resources.contents is 'Contents for which its records get a decision; none for a lookup.';
comment on column migration.resources.needed_for is 'Contents that cannot be known to be complete unless it was read completely.';
comment on table migration.sources is 'Sources that this database knows.';
comment on column migration.sources.source is 'Source, as in sync.integrations.';
comment on column migration.sources.stated_reasons is 'Reasons for which a record itself says that its item goes.';
comment on function migration.staging_changed(table_name text, source text, resource text, contents text[], needed_for text[]) is 'Notes a staging table, and makes what hangs on it.';
comment on schema published is 'What readers may build on: complete runs only. A run appears here when all of its plan has landed.';
comment on view published.agenda is 'Agenda items that the platform should have (spec 2.2, 2.6).';
comment on column published.agenda.integration_id is 'Integration.';
comment on column published.agenda.unique_id is 'Unique ID of the item; id of the session at the source.';
comment on column published.agenda.name is 'Title of the session; platform field name.';
comment on column published.agenda.start_time is 'When the session begins, in UTC: YYYY-MM-DDTHH:MM:SSZ; platform field startTime.';
comment on column published.agenda.end_time is 'When the session ends, in UTC: YYYY-MM-DDTHH:MM:SSZ; platform field endTime.';
comment on column published.agenda.local_start is 'start_time on the clock on the wall in time_zone; null where the zone is not known.';
comment on column published.agenda.local_end is 'end_time on the clock on the wall in time_zone; null where the zone is not known.';
comment on column published.agenda.time_zone is 'Zone of the session (Source B), else source.timeZone as the last run had it; null where neither is known to this database.';
comment on column published.agenda.description is 'What the session is about, text or HTML; platform field description.';
comment on column published.agenda.location is 'Where it is held, location and name of the room; platform field location (Source A).';
comment on column published.agenda.session_tracks is 'Titles of its tracks; platform field sessionTracks (Source A). Empty where there are none.';
comment on column published.agenda.filter_group is 'Name of the group that its sub-filters are in; platform field filterGroup (Source A).';
comment on column published.agenda.sub_filters is 'Titles of its types of session; platform field subFilters (Source A). Empty where there are none.';
comment on column published.agenda.speaker_ids is 'Who speaks, by unique ID and in order; a link may lead to an item that comes later; platform field speakerIds (Source A); join published.speakers. Empty where there are none. Personal.';
comment on column published.agenda.link_urls is 'Web addresses that belong to it; platform field linkUrls (Source A). Empty where there are none.';
comment on column published.agenda.run_id is 'Run that the row is of.';
comment on column published.agenda.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none.';
comment on function published.agenda_as_of(run uuid) is 'Rows of published.agenda as of a run that landed; none for any other run. Personal.';
comment on view published.agenda_by_run is 'Agenda items that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';
comment on column published.agenda_by_run.integration_id is 'Integration.';
comment on column published.agenda_by_run.unique_id is 'Unique ID of the item; id of the session at the source.';
comment on column published.agenda_by_run.name is 'Title of the session; platform field name.';
comment on column published.agenda_by_run.start_time is 'When the session begins, in UTC: YYYY-MM-DDTHH:MM:SSZ; platform field startTime.';
comment on column published.agenda_by_run.end_time is 'When the session ends, in UTC: YYYY-MM-DDTHH:MM:SSZ; platform field endTime.';
comment on column published.agenda_by_run.local_start is 'start_time on the clock on the wall in time_zone; null where the zone is not known.';
comment on column published.agenda_by_run.local_end is 'end_time on the clock on the wall in time_zone; null where the zone is not known.';
comment on column published.agenda_by_run.time_zone is 'Zone of the session (Source B), else source.timeZone as the last run had it; null where neither is known to this database.';
comment on column published.agenda_by_run.description is 'What the session is about, text or HTML; platform field description.';
comment on column published.agenda_by_run.location is 'Where it is held, location and name of the room; platform field location (Source A).';
comment on column published.agenda_by_run.session_tracks is 'Titles of its tracks; platform field sessionTracks (Source A). Empty where there are none.';
comment on column published.agenda_by_run.filter_group is 'Name of the group that its sub-filters are in; platform field filterGroup (Source A).';
comment on column published.agenda_by_run.sub_filters is 'Titles of its types of session; platform field subFilters (Source A). Empty where there are none.';
comment on column published.agenda_by_run.speaker_ids is 'Who speaks, by unique ID and in order; a link may lead to an item that comes later; platform field speakerIds (Source A); join published.speakers. Empty where there are none. Personal.';
comment on column published.agenda_by_run.link_urls is 'Web addresses that belong to it; platform field linkUrls (Source A). Empty where there are none.';
comment on column published.agenda_by_run.run_id is 'Run that the row is of.';
comment on column published.agenda_by_run.is_latest is 'Whether the run is the last of its integration that landed: the one that published.agenda shows.';
comment on column published.agenda_by_run.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none.';
comment on view published.attendee_sessions is 'Which attendee has which session in the personal agenda (Source B).';
comment on column published.attendee_sessions.integration_id is 'Integration.';
comment on column published.attendee_sessions.attendee_id is 'Joins published.attendees.unique_id. Personal.';
comment on column published.attendee_sessions.session_id is 'Joins published.agenda.unique_id.';
comment on view published.attendees is 'Attendees that the platform should have (spec 2.4, 2.8).';
comment on column published.attendees.integration_id is 'Integration.';
comment on column published.attendees.unique_id is 'Unique ID of the item; id of the user or registrant at the source, or the e-mail address of a user without one. Personal.';
comment on column published.attendees.first_name is 'First name; platform field firstName. Personal.';
comment on column published.attendees.last_name is 'Last name; platform field lastName. Personal.';
comment on column published.attendees.email_address is 'E-mail address as given; platform field emailAddress. Personal.';
comment on column published.attendees.title is 'Position at work; platform field title. Personal.';
comment on column published.attendees.company is 'Organisation that the person works for; platform field company. Personal.';
comment on column published.attendees.biography is 'About the person, text or HTML; platform field biography (Source B). Personal.';
comment on column published.attendees.phone is 'Mobile phone number as given; platform field phone (Source B). Personal.';
comment on column published.attendees.personal_agenda is 'Sessions that the person goes to, by unique ID; platform field personalAgenda (Source B); join published.agenda. Empty where there are none.';
comment on column published.attendees.run_id is 'Run that the row is of.';
comment on column published.attendees.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none. Personal.';
comment on function published.attendees_as_of(run uuid) is 'Rows of published.attendees as of a run that landed; none for any other run. Personal.';
comment on view published.attendees_by_run is 'Attendees that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';
comment on column published.attendees_by_run.integration_id is 'Integration.';
comment on column published.attendees_by_run.unique_id is 'Unique ID of the item; id of the user or registrant at the source, or the e-mail address of a user without one. Personal.';
comment on column published.attendees_by_run.first_name is 'First name; platform field firstName. Personal.';
comment on column published.attendees_by_run.last_name is 'Last name; platform field lastName. Personal.';
comment on column published.attendees_by_run.email_address is 'E-mail address as given; platform field emailAddress. Personal.';
comment on column published.attendees_by_run.title is 'Position at work; platform field title. Personal.';
comment on column published.attendees_by_run.company is 'Organisation that the person works for; platform field company. Personal.';
comment on column published.attendees_by_run.biography is 'About the person, text or HTML; platform field biography (Source B). Personal.';
comment on column published.attendees_by_run.phone is 'Mobile phone number as given; platform field phone (Source B). Personal.';
comment on column published.attendees_by_run.personal_agenda is 'Sessions that the person goes to, by unique ID; platform field personalAgenda (Source B); join published.agenda. Empty where there are none.';
comment on column published.attendees_by_run.run_id is 'Run that the row is of.';
comment on column published.attendees_by_run.is_latest is 'Whether the run is the last of its integration that landed: the one that published.attendees shows.';
comment on column published.attendees_by_run.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none. Personal.';
comment on view published.changes is 'Fields that runs changed on the platform.';
comment on column published.changes.integration_id is 'Integration.';
comment on column published.changes.run_id is 'Run; joins published.runs.';
comment on column published.changes.content is 'agenda, speakers or attendees.';
comment on column published.changes.unique_id is 'Unique ID of the item. Personal.';
comment on column published.changes.action is 'create, update, handover or remove.';
comment on column published.changes.reason is 'Why the item was removed; null for all others.';
comment on column published.changes.field is 'Platform field, by the name that it has there: startTime, not start_time; custom has all fields of the customer''s own.';
comment on column published.changes.before is 'Value before, as JSON (before #>> ''{}'' is its text without quotes); null where the field was absent. Personal.';
comment on column published.changes.after is 'Value after, as JSON (after #>> ''{}'' is its text without quotes); null where the field is absent now. Personal.';
comment on view published.decisions is 'What became of each source record, for each content that it could serve.';
comment on column published.decisions.integration_id is 'Integration.';
comment on column published.decisions.content is 'agenda, speakers or attendees.';
comment on column published.decisions.resource is 'Resource of the record.';
comment on column published.decisions.source_id is 'Id of the record; null where it has none. Personal.';
comment on column published.decisions.unique_id is 'Unique ID of the platform item; null where the record has no id. Personal.';
comment on column published.decisions.decision is 'synced, excluded or quarantined.';
comment on column published.decisions.reason is 'Why the record is excluded or quarantined; null where it is synced.';
comment on column published.decisions.detail is 'Marks in byte order, joined with "; "; null where there are none.';
comment on column published.decisions.run_id is 'Run that the row is of.';
comment on view published.load_results is 'What became of each operation that runs sent.';
comment on column published.load_results.integration_id is 'Integration.';
comment on column published.load_results.run_id is 'Run; joins published.runs.';
comment on column published.load_results.seq is 'Place in the plan, from 1.';
comment on column published.load_results.content is 'agenda, speakers or attendees.';
comment on column published.load_results.unique_id is 'Unique ID of the item. Personal.';
comment on column published.load_results.op is 'upsert or remove.';
comment on column published.load_results.status is 'applied when the platform acknowledged it.';
comment on function published.local_time(instant timestamp with time zone, time_zone text) is 'An instant on the clock on the wall in a time zone (IANA name, or an offset such as -05:00); null where this database does not know the zone.';
comment on view published.purged_runs is 'Runs that were purged: queries as of them have no rows, and neither published.runs nor staging.runs has them.';
comment on column published.purged_runs.integration_id is 'Integration.';
comment on column published.purged_runs.run_id is 'Run.';
comment on column published.purged_runs.started_at is 'When the run started.';
comment on column published.purged_runs.applied_at is 'When the platform had every planned change; null where none was sent.';
comment on column published.purged_runs.purged_at is 'When it was purged.';
comment on view published.runs is 'Runs whose plan has landed on the platform and which were not purged since; withheld in counts tells the removals that were left out.';
comment on column published.runs.integration_id is 'Integration.';
comment on column published.runs.run_id is 'UUIDv7; grows with time.';
comment on column published.runs.started_at is 'When the run started.';
comment on column published.runs.planned_at is 'When the plan was stored.';
comment on column published.runs.applied_at is 'When the platform had every planned change.';
comment on column published.runs.finished_at is 'When the run ended.';
comment on column published.runs.contents is 'Contents that the run planned.';
comment on column published.runs.certified is 'Whether every resource was proved to be read completely.';
comment on column published.runs.plan_hash is 'SHA-256 of the plan.';
comment on column published.runs.counts is 'Changes by content and action, excluded by reason, quarantined; JSON as of run --json.';
comment on column published.runs.product_version is 'Version of event-content-sync.';
comment on column published.runs.is_latest is 'Whether it is the last such run of its integration: the one the other views show. What is current in staging is of a later one where a plan was held or only shown since.';
comment on column published.runs.run_before is 'The run of the integration that landed before it; null for the first, and where that was purged.';
comment on view published.session_speakers is 'Who speaks in which session, whether the session or the speaker says so.';
comment on column published.session_speakers.integration_id is 'Integration.';
comment on column published.session_speakers.session_id is 'Joins published.agenda.unique_id.';
comment on column published.session_speakers.speaker_id is 'Joins published.speakers.unique_id. Personal.';
comment on view published.speakers is 'Speakers that the platform should have (spec 2.3, 2.7).';
comment on column published.speakers.integration_id is 'Integration.';
comment on column published.speakers.unique_id is 'Unique ID of the item; id of the user or registrant at the source. Personal.';
comment on column published.speakers.first_name is 'First name; platform field firstName. Personal.';
comment on column published.speakers.last_name is 'Last name; platform field lastName. Personal.';
comment on column published.speakers.title is 'Position at work; platform field title. Personal.';
comment on column published.speakers.company is 'Organisation that the person works for; platform field company. Personal.';
comment on column published.speakers.description is 'About the person, text or HTML; platform field description. Personal.';
comment on column published.speakers.image_url is 'Web address of a photo; platform field imageUrl (Source A). Personal.';
comment on column published.speakers.session_ids is 'Sessions that the person speaks in, by unique ID; platform field sessionIds; join published.agenda. Empty where there are none.';
comment on column published.speakers.attendee_id is 'The person as an attendee, by unique ID; platform field attendeeId; join published.attendees. Personal.';
comment on column published.speakers.facebook_url is 'Web address of the page on Facebook; platform field facebookUrl (Source A). Personal.';
comment on column published.speakers.linkedin_url is 'Web address of the page on LinkedIn; platform field linkedinUrl (Source A). Personal.';
comment on column published.speakers.twitter is 'Handle on Twitter, without "@"; platform field twitter (Source B). Personal.';
comment on column published.speakers.run_id is 'Run that the row is of.';
comment on column published.speakers.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none. Personal.';
comment on function published.speakers_as_of(run uuid) is 'Rows of published.speakers as of a run that landed; none for any other run. Personal.';
comment on view published.speakers_by_run is 'Speakers that the platform should have, as of each run that landed. Ask for one run, or one item: all of it is every item as often as there are runs.';
comment on column published.speakers_by_run.integration_id is 'Integration.';
comment on column published.speakers_by_run.unique_id is 'Unique ID of the item; id of the user or registrant at the source. Personal.';
comment on column published.speakers_by_run.first_name is 'First name; platform field firstName. Personal.';
comment on column published.speakers_by_run.last_name is 'Last name; platform field lastName. Personal.';
comment on column published.speakers_by_run.title is 'Position at work; platform field title. Personal.';
comment on column published.speakers_by_run.company is 'Organisation that the person works for; platform field company. Personal.';
comment on column published.speakers_by_run.description is 'About the person, text or HTML; platform field description. Personal.';
comment on column published.speakers_by_run.image_url is 'Web address of a photo; platform field imageUrl (Source A). Personal.';
comment on column published.speakers_by_run.session_ids is 'Sessions that the person speaks in, by unique ID; platform field sessionIds; join published.agenda. Empty where there are none.';
comment on column published.speakers_by_run.attendee_id is 'The person as an attendee, by unique ID; platform field attendeeId; join published.attendees. Personal.';
comment on column published.speakers_by_run.facebook_url is 'Web address of the page on Facebook; platform field facebookUrl (Source A). Personal.';
comment on column published.speakers_by_run.linkedin_url is 'Web address of the page on LinkedIn; platform field linkedinUrl (Source A). Personal.';
comment on column published.speakers_by_run.twitter is 'Handle on Twitter, without "@"; platform field twitter (Source B). Personal.';
comment on column published.speakers_by_run.run_id is 'Run that the row is of.';
comment on column published.speakers_by_run.is_latest is 'Whether the run is the last of its integration that landed: the one that published.speakers shows.';
comment on column published.speakers_by_run.custom is 'Fields of the customer''s own (fields of event-sync.yaml), by name; null where there are none. Personal.';
comment on schema staging is 'Records of the sources as read, one row for each version, with history. Current rows: valid_to_run is null.';
comment on table staging.a_rooms is 'Source A: rooms; looked up for agenda.';
comment on column staging.a_rooms.integration_id is 'Integration that read the record.';
comment on column staging.a_rooms.source_id is 'Id: digits as written.';
comment on column staging.a_rooms.name is 'Name; platform field location.';
comment on column staging.a_rooms.location is 'Location; platform field location.';
comment on column staging.a_rooms.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.a_rooms.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';
comment on column staging.a_rooms.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.a_rooms.valid_from_run is 'First run that read this version.';
comment on column staging.a_rooms.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on function staging.a_rooms_as_of(run uuid) is 'Rows of staging.a_rooms as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';
comment on function staging.a_rooms_between(from_run uuid, to_run uuid) is 'What changed in staging.a_rooms from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';
comment on table staging.a_session_types is 'Source A: session_types; looked up for agenda and speakers.';
comment on column staging.a_session_types.integration_id is 'Integration that read the record.';
comment on column staging.a_session_types.source_id is 'Id: digits as written.';
comment on column staging.a_session_types.title is 'Title, Name; platform field subFilters.';
comment on column staging.a_session_types.title_folded is 'Title, Name: the first that has a value, in lower case, to find 1:1 meetings (source.oneToOneTypes); each of their usual spellings is "1:1 meeting".';
comment on column staging.a_session_types.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.a_session_types.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';
comment on column staging.a_session_types.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.a_session_types.valid_from_run is 'First run that read this version.';
comment on column staging.a_session_types.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on function staging.a_session_types_as_of(run uuid) is 'Rows of staging.a_session_types as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';
comment on function staging.a_session_types_between(from_run uuid, to_run uuid) is 'What changed in staging.a_session_types from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';
comment on table staging.a_sessions is 'Source A: sessions; they become agenda.';
comment on column staging.a_sessions.integration_id is 'Integration that read the record.';
comment on column staging.a_sessions.source_id is 'Id: digits as written.';
comment on column staging.a_sessions.title is 'Title; platform field name.';
comment on column staging.a_sessions.description is 'Description: HTML as received; platform field description.';
comment on column staging.a_sessions.enabled is 'Enabled: where false, not_published.';
comment on column staging.a_sessions.visible_to_anonymous_users is 'VisibleToAnonymousUsers: where false, not_published.';
comment on column staging.a_sessions.status is 'Status: for example Accepted; see source.sessionStatuses.';
comment on column staging.a_sessions.time_slot_id is 'TimeSlotId; platform field startTime; joins a_time_slots.source_id.';
comment on column staging.a_sessions.room_id is 'RoomId; platform field location; joins a_rooms.source_id.';
comment on column staging.a_sessions.track_id is 'TrackId; platform field sessionTracks; joins a_tracks.source_id.';
comment on column staging.a_sessions.session_type_id is 'SessionTypeId; platform field subFilters; joins a_session_types.source_id.';
comment on column staging.a_sessions.speaker_ids is 'Speakers, SpeakerOrder: ids, those of SpeakerOrder first and in its order, repeats dropped; platform field speakerIds; joins a_users.id.';
comment on column staging.a_sessions.link_urls is 'Links: http(s) addresses in source order, repeats dropped; platform field linkUrls.';
comment on column staging.a_sessions.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.a_sessions.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';
comment on column staging.a_sessions.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.a_sessions.valid_from_run is 'First run that read this version.';
comment on column staging.a_sessions.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on column staging.a_sessions.custom is 'Custom fields of agenda (fields of event-sync.yaml), by content and name; null where there are none.';
comment on function staging.a_sessions_as_of(run uuid) is 'Rows of staging.a_sessions as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing. Personal.';
comment on function staging.a_sessions_between(from_run uuid, to_run uuid) is 'What changed in staging.a_sessions from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order. Personal.';
comment on table staging.a_time_slots is 'Source A: time_slots; looked up for agenda.';
comment on column staging.a_time_slots.integration_id is 'Integration that read the record.';
comment on column staging.a_time_slots.source_id is 'Id: digits as written.';
comment on column staging.a_time_slots.start_time is 'StartTime: as an instant; null where start_time_status is absent or unreadable; platform field startTime.';
comment on column staging.a_time_slots.start_time_status is 'absent, read, ambiguous (a local time that occurs twice: the earlier instant, unless it is an end and lies before the start) or unreadable.';
comment on column staging.a_time_slots.end_time is 'EndTime: as an instant; null where end_time_status is absent or unreadable; platform field endTime.';
comment on column staging.a_time_slots.end_time_status is 'absent, read, ambiguous (a local time that occurs twice: the earlier instant, unless it is an end and lies before the start) or unreadable.';
comment on column staging.a_time_slots.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.a_time_slots.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';
comment on column staging.a_time_slots.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.a_time_slots.valid_from_run is 'First run that read this version.';
comment on column staging.a_time_slots.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on function staging.a_time_slots_as_of(run uuid) is 'Rows of staging.a_time_slots as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';
comment on function staging.a_time_slots_between(from_run uuid, to_run uuid) is 'What changed in staging.a_time_slots from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';
comment on table staging.a_tracks is 'Source A: tracks; looked up for agenda.';
comment on column staging.a_tracks.integration_id is 'Integration that read the record.';
comment on column staging.a_tracks.source_id is 'Id: digits as written.';
comment on column staging.a_tracks.title is 'Title; platform field sessionTracks.';
comment on column staging.a_tracks.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.a_tracks.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';
comment on column staging.a_tracks.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.a_tracks.valid_from_run is 'First run that read this version.';
comment on column staging.a_tracks.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on function staging.a_tracks_as_of(run uuid) is 'Rows of staging.a_tracks as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';
comment on function staging.a_tracks_between(from_run uuid, to_run uuid) is 'What changed in staging.a_tracks from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';
comment on table staging.a_users is 'Source A: users; they become speakers and attendees.';
comment on column staging.a_users.integration_id is 'Integration that read the record.';
comment on column staging.a_users.source_id is 'Id, EmailAddress: digits as written. Personal.';
comment on column staging.a_users.id is 'Id: as the source gave it; null where it gave none and the e-mail address stands in as source_id.';
comment on column staging.a_users.first_name is 'FirstName; platform field firstName. Personal.';
comment on column staging.a_users.last_name is 'LastName; platform field lastName. Personal.';
comment on column staging.a_users.email_address is 'EmailAddress; platform field emailAddress of attendees. Personal.';
comment on column staging.a_users.title is 'Title; platform field title. Personal.';
comment on column staging.a_users.company is 'Company; platform field company. Personal.';
comment on column staging.a_users.biography is 'Biography; platform field description of speakers. Personal.';
comment on column staging.a_users.photo_link is 'PhotoLink: an http(s) address; platform field imageUrl of speakers. Personal.';
comment on column staging.a_users.facebook_url is 'Facebook (source.fields.facebook): as an https address; platform field facebookUrl of speakers. Personal.';
comment on column staging.a_users.linkedin_url is 'LinkedIn (source.fields.linkedin): as an https address; platform field linkedinUrl of speakers. Personal.';
comment on column staging.a_users.has_speaker_role is 'Roles: whether it names Speaker; used with source.speakers role and both.';
comment on column staging.a_users.is_pending is 'IsPending: where true, no speaker yet.';
comment on column staging.a_users.speaking_at is 'SpeakingAt: session ids, in byte order; platform field sessionIds of speakers; joins a_sessions.source_id.';
comment on column staging.a_users.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.a_users.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';
comment on column staging.a_users.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.a_users.valid_from_run is 'First run that read this version.';
comment on column staging.a_users.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on column staging.a_users.custom is 'Custom fields of speakers and attendees (fields of event-sync.yaml), by content and name; null where there are none. Personal.';
comment on function staging.a_users_as_of(run uuid) is 'Rows of staging.a_users as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing. Personal.';
comment on function staging.a_users_between(from_run uuid, to_run uuid) is 'What changed in staging.a_users from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order. Personal.';
comment on table staging.b_reg_types is 'Source B: reg_types; looked up for speakers.';
comment on column staging.b_reg_types.integration_id is 'Integration that read the record.';
comment on column staging.b_reg_types.source_id is 'id: digits as written.';
comment on column staging.b_reg_types.name is 'name.';
comment on column staging.b_reg_types.name_folded is 'name: in lower case, to find source.speakerRegistrantType.';
comment on column staging.b_reg_types.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.b_reg_types.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';
comment on column staging.b_reg_types.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.b_reg_types.valid_from_run is 'First run that read this version.';
comment on column staging.b_reg_types.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on function staging.b_reg_types_as_of(run uuid) is 'Rows of staging.b_reg_types as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';
comment on function staging.b_reg_types_between(from_run uuid, to_run uuid) is 'What changed in staging.b_reg_types from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';
comment on table staging.b_registrants is 'Source B: registrants; they become speakers and attendees.';
comment on column staging.b_registrants.integration_id is 'Integration that read the record.';
comment on column staging.b_registrants.source_id is 'id: digits as written.';
comment on column staging.b_registrants.first_name is 'first_name; platform field firstName. Personal.';
comment on column staging.b_registrants.last_name is 'last_name; platform field lastName. Personal.';
comment on column staging.b_registrants.email is 'email (source.fields.email); platform field emailAddress of attendees. Personal.';
comment on column staging.b_registrants.job_title is 'job_title; platform field title. Personal.';
comment on column staging.b_registrants.company is 'company; platform field company. Personal.';
comment on column staging.b_registrants.bio is 'bio; platform field description of speakers, biography of attendees. Personal.';
comment on column staging.b_registrants.mobile_phone is 'mobile_phone; platform field phone of attendees. Personal.';
comment on column staging.b_registrants.twitter_handle is 'twitter_handle: without @ or address; platform field twitter of speakers. Personal.';
comment on column staging.b_registrants.reg_type_id is 'reg_type_id: id of the registrant type, or the bare text that stood in its place; joins b_reg_types.source_id.';
comment on column staging.b_registrants.reg_type_value is 'reg_type_id: name of the registrant type where the record gives it itself.';
comment on column staging.b_registrants.reg_type_folded is 'reg_type_id: the name the record gives itself, else its bare text, in lower case; to find speakers.';
comment on column staging.b_registrants.session_ids is 'session_ids: session ids, in byte order, repeats dropped; platform field sessionIds of speakers, personalAgenda of attendees; joins b_sessions.source_id.';
comment on column staging.b_registrants.cancelled_at is 'cancelled_at: as received; null where the registrant is not cancelled (null, blank, false or a zero date).';
comment on column staging.b_registrants.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.b_registrants.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold. Personal.';
comment on column staging.b_registrants.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.b_registrants.valid_from_run is 'First run that read this version.';
comment on column staging.b_registrants.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on column staging.b_registrants.custom is 'Custom fields of speakers and attendees (fields of event-sync.yaml), by content and name; null where there are none. Personal.';
comment on function staging.b_registrants_as_of(run uuid) is 'Rows of staging.b_registrants as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing. Personal.';
comment on function staging.b_registrants_between(from_run uuid, to_run uuid) is 'What changed in staging.b_registrants from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order. Personal.';
comment on table staging.b_sessions is 'Source B: sessions; they become agenda.';
comment on column staging.b_sessions.integration_id is 'Integration that read the record.';
comment on column staging.b_sessions.source_id is 'id: digits as written.';
comment on column staging.b_sessions.name is 'name; platform field name.';
comment on column staging.b_sessions.description is 'description: HTML as received; platform field description.';
comment on column staging.b_sessions.start_time is 'date, start_time: as an instant; null where start_time_status is absent or unreadable; platform field startTime.';
comment on column staging.b_sessions.start_time_status is 'absent, read, ambiguous (a local time that occurs twice: the earlier instant, unless it is an end and lies before the start) or unreadable.';
comment on column staging.b_sessions.end_time is 'date, end_time: as an instant; on the next day if it would lie before the start; platform field endTime.';
comment on column staging.b_sessions.end_time_status is 'absent, read, ambiguous (a local time that occurs twice: the earlier instant, unless it is an end and lies before the start) or unreadable.';
comment on column staging.b_sessions.time_zone is 'timezone: zone the local times were read in, an IANA name or an offset such as -05:00: that of the record if it names one, else source.timeZone.';
comment on column staging.b_sessions.marks is 'What was noticed when the record was read, as mark:column, for example not_text:title.';
comment on column staging.b_sessions.doc is 'The record as received, but for U+0000 and lone surrogates, which jsonb cannot hold.';
comment on column staging.b_sessions.version_hash is 'SHA-256 over the record, the version of the reading rules and the options that shape it.';
comment on column staging.b_sessions.valid_from_run is 'First run that read this version.';
comment on column staging.b_sessions.valid_to_run is 'First run that no longer read this version; null while it is current.';
comment on column staging.b_sessions.custom is 'Custom fields of agenda (fields of event-sync.yaml), by content and name; null where there are none.';
comment on function staging.b_sessions_as_of(run uuid) is 'Rows of staging.b_sessions as of a run, of its integration: what it had read, and what was current without having been read. No rows where the run staged nothing.';
comment on function staging.b_sessions_between(from_run uuid, to_run uuid) is 'What changed in staging.b_sessions from one run of an integration to a later one: integration_id; source_id; change (added, removed or changed); changed_columns, in byte order, empty unless changed; before and after, rows of the table, of which (after).source_id and so on are the columns. No rows where the runs are not of one integration or not in this order.';
comment on view staging.runs is 'Runs that staged what they read: those that functions of this schema can be asked for, also where the plan was held or only shown.';
comment on column staging.runs.integration_id is 'Integration.';
comment on column staging.runs.run_id is 'UUIDv7; grows with time.';
comment on column staging.runs.started_at is 'When the run started.';
comment on column staging.runs.staged_at is 'When what it read was staged, with its plan.';
comment on column staging.runs.certified is 'Whether every resource was proved to be read completely.';
comment on column staging.runs.status is 'What became of the plan: planned, held, applying, applied, finished or failed.';
comment on column staging.runs.run_before is 'The run of the integration that staged before it; null for the first, and where that was purged.';
comment on column staging.runs.is_latest is 'Whether it is the last such run of its integration: the one that current versions (valid_to_run is null) are of. Not the latest of published.runs where its plan was held or only shown.';
comment on schema sync is 'State of the product: integrations, runs, certificates, plans and what the platform has. Written by the product only.';
comment on table sync.batches is 'Batches of changes, each stored before it is sent for the first time.';
comment on column sync.batches.integration_id is 'Integration.';
comment on column sync.batches.run_id is 'Run whose plan is applied.';
comment on column sync.batches.batch is 'Number within the run, from 1.';
comment on column sync.batches.phase is 'Phase of its changes: freeing, upserts or removals, in this order.';
comment on column sync.batches.first_seq is 'First of its changes.';
comment on column sync.batches.last_seq is 'Last of its changes; of those in between, it has those that name it.';
comment on column sync.batches.reach is 'Last change that this batch or one before it has had: those after it were in none.';
comment on column sync.batches.idempotency_key is 'Key by which the platform knows the batch again.';
comment on column sync.batches.sha256 is 'SHA-256 of the body with passwords left out, in hex: the same key always goes with the same body.';
comment on column sync.batches.state is 'sent: the answer is not known; answered; refused: nothing of it had an effect.';
comment on column sync.batches.sent_at is 'When it was about to be sent for the first time.';
comment on column sync.batches.answered_at is 'When its answer was recorded; null before.';
comment on table sync.certificates is 'The proof that a resource was read completely in a run.';
comment on column sync.certificates.integration_id is 'Integration.';
comment on column sync.certificates.run_id is 'Run.';
comment on column sync.certificates.resource is 'Resource, for example users.';
comment on column sync.certificates.certified is 'Whether the end of the resource was proved.';
comment on column sync.certificates.requests is 'Answers that what was read is made of; each stands in sync.requests.';
comment on column sync.certificates.attempts is 'Requests that were sent, those that failed or were given up included.';
comment on column sync.certificates.bytes is 'Bytes of the answers, decompressed.';
comment on column sync.certificates.elements is 'Records read.';
comment on column sync.certificates.distinct_ids is 'Distinct ids among them; null until they are staged.';
comment on column sync.certificates.declared is 'Count that the source declared; null where it declares none.';
comment on column sync.certificates.end_proof is 'How the end was proved.';
comment on column sync.certificates.detail is 'Why the resource is not certified, or what it says less than all about; empty where neither is so.';
comment on column sync.certificates.confirmed is 'Whether missing records were looked for once more before anything was removed because of them; null if that was not needed.';
comment on column sync.certificates.checksum is 'Sum over the records, which the merge compares with what arrived.';
comment on column sync.certificates.forgotten is 'Records among them that were dropped at the door, since they are of people who were forgotten.';
comment on column sync.certificates.since is 'Time of the source from which changes were asked for; null where all of the resource was read.';
comment on column sync.certificates.staged_seen is 'Current records that a reading of changes saw; null where all of the resource was read.';
comment on column sync.certificates.staged_unseen is 'Current records that a reading of changes did not bring, and that stay; null where all of the resource was read.';
comment on column sync.certificates.staged_checksum is 'Control total over staged_seen; null where all of the resource was read.';
comment on column sync.certificates.missed is 'Records that this full reading had and readings of changes would not have brought; 0 where none was looked for, null where the resource is not read by changes.';
comment on column sync.certificates.brought is 'Records that this full reading found new or changed, and that are no misses; null as missed is.';
comment on table sync.changes is 'The plan of a run: each item to create, update or remove, in the order in which it is sent.';
comment on column sync.changes.integration_id is 'Integration.';
comment on column sync.changes.run_id is 'Run that planned the change.';
comment on column sync.changes.seq is 'Place in the plan, from 1.';
comment on column sync.changes.phase is 'When it is sent: freeing, which are removals that an upsert waits for; upserts; removals, which are all others.';
comment on column sync.changes.together is 'Changes with the same number take over e-mail addresses from each other, so they are sent in one batch; null for others.';
comment on column sync.changes.content is 'agenda, speakers or attendees.';
comment on column sync.changes.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.changes.action is 'create, update, remove, or handover: an attendee whose registration changed hands is removed, then created under the same unique ID.';
comment on column sync.changes.reason is 'Why the item is removed; empty for create and update.';
comment on column sync.changes.inferred is 'For a removal: true where no record that was read states it, as for removed_at_source.';
comment on column sync.changes.before is 'Platform fields before; null for create. Personal.';
comment on column sync.changes.after is 'Platform fields after; null for remove. Personal.';
comment on column sync.changes.change_hash is 'SHA-256 over the change; the plan hash is made of these.';
comment on column sync.changes.state is 'pending; sent: in a batch whose answer is not known, so the platform may have it; applied: acknowledged; failed: rejected by the platform; withheld: left out of this run.';
comment on column sync.changes.batch is 'Batch that the change is sent in; null before.';
comment on column sync.changes.alone is 'Whether it is sent in a batch of its own, after a batch with it was refused.';
comment on column sync.changes.freed is 'Of a handover: whether the platform has removed the item of the person before.';
comment on column sync.changes.result is 'What the platform said: created, updated, unchanged, removed or failed; null before.';
comment on column sync.changes.code is 'Why the platform rejected the change, as it says.';
comment on column sync.changes.retryable is 'Whether the platform says that the same change may succeed later.';
comment on view sync.contracted_fields is 'Platform fields of each content.';
comment on column sync.contracted_fields.content is 'Content.';
comment on column sync.contracted_fields.texts is 'Fields whose value is a text.';
comment on column sync.contracted_fields.lists is 'Fields whose value is a list of texts.';
comment on table sync.decisions is 'What became of each staged record for each content, with history; repeated and quarantined records stand in sync.unstaged.';
comment on column sync.decisions.integration_id is 'Integration.';
comment on column sync.decisions.content is 'agenda, speakers or attendees.';
comment on column sync.decisions.resource is 'Resource of the record.';
comment on column sync.decisions.source_id is 'Id of the record. Personal.';
comment on column sync.decisions.unique_id is 'Unique ID of the platform item; null where the record has none. Personal.';
comment on column sync.decisions.decision is 'synced or excluded.';
comment on column sync.decisions.reason is 'Why the record is excluded; empty where it is synced.';
comment on column sync.decisions.detail is 'Marks in byte order, joined with "; ".';
comment on column sync.decisions.valid_from_run is 'First run with this decision.';
comment on column sync.decisions.valid_to_run is 'First run with another; null while current.';
comment on table sync.desired_items is 'What the platform should have, with history.';
comment on column sync.desired_items.integration_id is 'Integration.';
comment on column sync.desired_items.content is 'agenda, speakers or attendees.';
comment on column sync.desired_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.desired_items.fields is 'Platform fields; those without a value are left out. Personal.';
comment on column sync.desired_items.valid_from_run is 'First run with these fields.';
comment on column sync.desired_items.valid_to_run is 'First run without them; null while current.';
comment on function sync.fold_case(value text) is 'A text without regard to case, to compare it with another one.';
comment on table sync.forgotten is 'People who were forgotten, each id once: what the next read brings of them is dropped. Nothing here leads back to a person without sealingKey.';
comment on column sync.forgotten.integration_id is 'Integration that keeps the person out; empty for what was imported: each integration of the source event takes it over at its next run.';
comment on column sync.forgotten.source is 'Kind of source in which the person was forgotten.';
comment on column sync.forgotten.source_place is 'Host, port and path of that source.';
comment on column sync.forgotten.source_event_id is 'Its event.';
comment on column sync.forgotten.token is 'Stands in place of the id wherever it stood: forgotten- and random digits.';
comment on column sync.forgotten.id_mac is 'HMAC-SHA256 of forgotten_in and the id under a key made of sealingKey, by which the id is known again.';
comment on column sync.forgotten.forgotten_in is 'Integration in which the person was forgotten, maybe of another database.';
comment on column sync.forgotten.key_check is 'HMAC-SHA256 of a fixed text under that key: another sealingKey is noticed.';
comment on column sync.forgotten.sealed_id is 'The id, AES-256-GCM under sealingKey, as long as the platform has to be told whom to remove; null after that. Personal.';
comment on column sync.forgotten.forgotten_at is 'When.';
comment on column sync.forgotten.forgotten_by is 'User at the operating system who ran forget. Personal.';
comment on table sync.forgotten_addresses is 'E-mail addresses of people who were forgotten, known again by their HMAC only.';
comment on column sync.forgotten_addresses.integration_id is 'Integration, as in sync.forgotten.';
comment on column sync.forgotten_addresses.source is 'Source type in which the person was forgotten, as in sync.forgotten.';
comment on column sync.forgotten_addresses.source_place is 'Host, port and path of that source.';
comment on column sync.forgotten_addresses.source_event_id is 'Its event.';
comment on column sync.forgotten_addresses.address_mac is 'HMAC-SHA256 of forgotten_in and the address in lower case under a key made of sealingKey.';
comment on column sync.forgotten_addresses.forgotten_in is 'Integration in which the person was forgotten, maybe of another database.';
comment on column sync.forgotten_addresses.key_check is 'As in sync.forgotten.';
comment on table sync.integrations is 'One source event synced to one platform event; bound to both at its first run.';
comment on column sync.integrations.integration_id is 'Id in event-sync.yaml.';
comment on column sync.integrations.source is 'Kind of source, such as a.';
comment on column sync.integrations.source_url is 'Address of the source, without credentials.';
comment on column sync.integrations.source_place is 'Host, port and path of the source, the same for all spellings of its address.';
comment on column sync.integrations.source_event_id is 'Event id at the source.';
comment on column sync.integrations.platform is 'Kind of target, such as http.';
comment on column sync.integrations.platform_url is 'Address of the platform; empty for jsonl.';
comment on column sync.integrations.platform_event_id is 'Event id at the platform; empty for jsonl.';
comment on column sync.integrations.owns_platform_event is 'Whether its runs may write to the platform event: false where another integration took it over, or several wrote to it before that was refused.';
comment on column sync.integrations.time_zone is 'source.timeZone of the last run; null where none is configured.';
comment on column sync.integrations.base is 'Counts the states of the platform as known here; a plan is current while its base is.';
comment on column sync.integrations.fence is 'Highest fence number of a run; the platform refuses a run with a lower one than it has seen.';
comment on column sync.integrations.platform_fence is 'Highest fence with which something landed on the platform, or as it was read back; 0 where nothing is known. A platform with a lower one was restored from a backup.';
comment on column sync.integrations.contents_read_back is 'Contents of which it is known what the platform had before these runs: they were read back.';
comment on column sync.integrations.transform_basis is 'SHA-256 over the statements that made the decisions and desired items that stand; null where they must be made anew.';
comment on view sync.last_applied_runs is 'The last applied run of each integration: sync.platform_items is what it left. No row where a later run may have changed that.';
comment on column sync.last_applied_runs.integration_id is 'Integration.';
comment on column sync.last_applied_runs.run_id is 'Run; joins sync.runs.';
comment on column sync.last_applied_runs.contents is 'Contents that the run planned.';
comment on column sync.last_applied_runs.status is 'applied, finished, or failed: by its audit.';
comment on column sync.last_applied_runs.counts is 'As in sync.runs.';
comment on view sync.last_planned_runs is 'The last run of each integration that stored a plan: current versions of staging, decisions and desired items are of it.';
comment on column sync.last_planned_runs.integration_id is 'Integration.';
comment on column sync.last_planned_runs.run_id is 'Run; joins sync.runs.';
comment on column sync.last_planned_runs.source is 'a or b.';
comment on column sync.last_planned_runs.contents is 'Contents that the run planned.';
comment on column sync.last_planned_runs.status is 'As in sync.runs.';
comment on column sync.last_planned_runs.is_current is 'Whether the platform, as known here, is still what the plan starts from.';
comment on column sync.last_planned_runs.counts is 'As in sync.runs.';
comment on function sync.lease_credits(of_host text, request_cost integer, wanted integer, returned integer, returned_window bigint, told_limit integer, told_left integer, told_reset_ms integer, told_closed_ms integer) is 'Takes credits of a host for a process, gives back what is left of its last lease, and tells what answers have said since; granted is null where the host tells of no limit, wait_ms how long nothing is granted.';
comment on table sync.marks is 'How far each resource was read by changes, and whether it can be. grain: integration, resource. readers: extract';
comment on column sync.marks.integration_id is 'Integration.';
comment on column sync.marks.resource is 'Resource.';
comment on column sync.marks.full_at is 'When the last certified full reading began, by its first answer; null before the first.';
comment on column sync.marks.full_certified is 'Whether the last full reading was certified.';
comment on column sync.marks.set_aside is 'Records of the last full reading that could not be read or were repeated.';
comment on column sync.marks.undated is 'Records of the last full reading without a readable updated_at.';
comment on column sync.marks.shape is 'Over all that shaped the records of the last full reading: options, fields asked for, record parser.';
comment on column sync.marks.asked_keys is 'Keys that the last full reading asked for.';
comment on column sync.marks.mark is 'Greatest updated_at seen since then, as the source writes it; null where there is none.';
comment on column sync.marks.mark_id is 'Id of a record that carries it; null where there is none, or its person was forgotten. Personal.';
comment on column sync.marks.took_minutes is 'Minutes that the reading took which first saw it.';
comment on column sync.marks.read_by_changes is 'Whether changes were read since the last certified full reading.';
comment on table sync.misses is 'What full readings had and readings of changes would not have brought; until a run with --changes all is read in full. grain: integration, run, resource. readers: extract';
comment on column sync.misses.integration_id is 'Integration.';
comment on column sync.misses.run_id is 'Run of the full reading.';
comment on column sync.misses.resource is 'Resource.';
comment on column sync.misses.count is 'Records.';
comment on column sync.misses.fields is 'Of how many records each key of the source differs; (new) counts those that were not there.';
comment on column sync.misses.confirmed_in is 'Run with --changes that reads by changes again; null as long as all is read in full.';
comment on column sync.misses.confirmed_at is 'When it was started.';
comment on column sync.misses.confirmed_by is 'User at the operating system who started it. Personal.';
comment on table sync.notices is 'How a run ended, for a webhook: at most one row for each end of a run.';
comment on column sync.notices.integration_id is 'Integration.';
comment on column sync.notices.run_id is 'Run.';
comment on column sync.notices.told_end is 'How it ended: held, failed, incomplete or finished.';
comment on column sync.notices.body is 'JSON as it is sent each time, without values of people.';
comment on column sync.notices.made_at is 'When the run ended.';
comment on column sync.notices.sent_at is 'When the webhook took it; null: not yet.';
comment on table sync.passwords is 'Random passwords of attendees that are being created, sealed; a row is gone as soon as the platform has the attendee.';
comment on column sync.passwords.integration_id is 'Integration.';
comment on column sync.passwords.unique_id is 'Unique ID of the attendee. Personal.';
comment on column sync.passwords.sealed is 'AES-256-GCM under sealingKey: nonce (12 bytes), tag (16 bytes), ciphertext. Personal.';
comment on table sync.platform_items is 'What the platform has, as far as it acknowledged it.';
comment on column sync.platform_items.integration_id is 'Integration.';
comment on column sync.platform_items.content is 'agenda, speakers or attendees.';
comment on column sync.platform_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.platform_items.fields is 'Platform fields as last sent and acknowledged. Personal.';
comment on column sync.platform_items.run_id is 'Run that sent the item, or was the first to read it back.';
comment on column sync.platform_items.preexisting is 'True if the platform had the item when it was read back for the first time, and no run has sent it since.';
comment on table sync.purges is 'What event-sync purge took away; the next pack of the integration says so in its manifest.';
comment on column sync.purges.integration_id is 'Integration.';
comment on column sync.purges.purged_at is 'When.';
comment on column sync.purges.purged_by is 'User at the operating system who ran it. Personal.';
comment on column sync.purges.older_than_days is 'The age that was asked for.';
comment on column sync.purges.before_run is 'First run of which everything is kept.';
comment on column sync.purges.rows is 'Rows that were to go, by table.';
comment on column sync.purges.packs is 'Packs whose files went: run and SHA-256 of the manifest, which stays.';
comment on column sync.purges.told_by_run is 'Run whose manifest has it; null before.';
comment on column sync.purges.finished_at is 'When all of it was gone and its room free; null: the command has died, and the next one goes on.';
comment on table sync.rate_budgets is 'How many requests sources still take, as their answers say; shared by all integrations that read with one account, so it is no integration''s.';
comment on column sync.rate_budgets.host is 'Host and port, as in the address of a source; then, after a blank, 32 bits of a keyed hash of the credentials, where it is read with any.';
comment on column sync.rate_budgets.credit_limit is 'Credits of a whole window; null where the host does not tell.';
comment on column sync.rate_budgets.credits_left is 'Credits of this window that no process has taken yet; null where the host does not tell.';
comment on column sync.rate_budgets.window_number is 'Counts the windows: what is left of a lease belongs to the window that it was taken in.';
comment on column sync.rate_budgets.window_ms is 'Longest time to the end of a window that was told, milliseconds.';
comment on column sync.rate_budgets.resets_at is 'When the window ends and there is a whole limit again, by the clock of the database.';
comment on column sync.rate_budgets.closed_until is 'The host has asked not to be asked before this.';
comment on column sync.rate_budgets.changed_at is 'When a process last took, gave back or told something.';
comment on table sync.readings is 'How far a run has read each resource, until it is merged: a run that dies before is continued from here.';
comment on column sync.readings.integration_id is 'Integration.';
comment on column sync.readings.run_id is 'Run that reads it.';
comment on column sync.readings.resource is 'Resource, for example users.';
comment on column sync.readings.shape is 'SHA-256 over all that shapes the rows: address, columns, rules of the door, options.';
comment on column sync.readings.place is 'Where the reader of the source goes on, in JSON, with the ids of the first and the last record; null before the first page. Personal.';
comment on column sync.readings.elements is 'Records that the incoming table holds at this point.';
comment on column sync.readings.faults is 'Quarantined records among them.';
comment on column sync.readings.forgotten is 'Records that were dropped among them, since they are of people who were forgotten.';
comment on column sync.readings.checksum is 'Sum over the records, which must be found again.';
comment on column sync.readings.requests is 'Answers that these records were read from.';
comment on column sync.readings.attempts is 'Requests that were sent so far.';
comment on column sync.readings.end_proof is 'How the end was proved; null before the end.';
comment on column sync.readings.declared is 'Count that the source declared; null where it declares none.';
comment on column sync.readings.saved_at is 'When this point was saved; older ones than http.resumeMinutes are not continued.';
comment on table sync.reconciliation is 'What reconciliation.csv of a run says: counts and control totals, each beside what it must be. A run whose figures are those of another one has no rows: see figures_of of sync.runs.';
comment on column sync.reconciliation.integration_id is 'Integration.';
comment on column sync.reconciliation.run_id is 'Run.';
comment on column sync.reconciliation.place is 'Place in the file, from 1.';
comment on column sync.reconciliation.content is 'agenda, speakers or attendees; empty for a sum over a resource.';
comment on column sync.reconciliation.resource is 'Resource of the records.';
comment on column sync.reconciliation.measure is 'What is counted.';
comment on column sync.reconciliation.count is 'What was found.';
comment on column sync.reconciliation.expected is 'What it must be, from other rows; null where it is a summand only.';
comment on view sync.records is 'Every version of every record in staging, whatever its source: what checks look at.';
comment on column sync.records.integration_id is 'Integration.';
comment on column sync.records.source is 'Source, as in sync.integrations.';
comment on column sync.records.resource is 'Resource of the record.';
comment on column sync.records.contents is 'Contents for which the record gets a decision; none for a lookup.';
comment on column sync.records.source_id is 'Id of the record. Personal.';
comment on column sync.records.valid_from_run is 'First run that saw this version.';
comment on column sync.records.valid_to_run is 'First run that no longer saw it; null while it is current.';
comment on function sync.refresh_statistics(written regclass) is 'Tells the planner about a table into which many rows were just written, with the rights of the schema''s owner.';
comment on table sync.requests is 'The answers that a resource was read from in a run, in their order.';
comment on column sync.requests.integration_id is 'Integration.';
comment on column sync.requests.run_id is 'Run.';
comment on column sync.requests.resource is 'Resource, for example users.';
comment on column sync.requests.page is 'Place in the order, from 1.';
comment on column sync.requests.url is 'Address that was asked; it carries no secret.';
comment on column sync.requests.status is 'HTTP status of the answer.';
comment on column sync.requests.bytes is 'Bytes of the answer, decompressed.';
comment on column sync.requests.sha256 is 'SHA-256 of these bytes, in hex.';
comment on column sync.requests.elements is 'New elements in it: one that overlaps with the page before does not count.';
comment on column sync.requests.answered_at is 'When the answer had been read.';
comment on column sync.requests.source_at is 'When it was answered by the clock of the source (its Date header); null where the source did not say.';
comment on table sync.runs is 'One execution for one integration.';
comment on column sync.runs.integration_id is 'Integration.';
comment on column sync.runs.run_id is 'UUIDv7; grows with time.';
comment on column sync.runs.command is 'run or plan.';
comment on column sync.runs.status is 'running; planned or held (stored, nothing sent); applying; applied (platform done, pack not yet); finished; failed; abandoned (died before its plan was stored).';
comment on column sync.runs.started_at is 'When the run started.';
comment on column sync.runs.planned_at is 'When the plan was stored.';
comment on column sync.runs.applied_at is 'When the platform had every planned change.';
comment on column sync.runs.finished_at is 'When the run ended, in success or failure; of an applied run, when its pack was begun.';
comment on column sync.runs.purged_at is 'When what the run had read, planned and sent was purged; null where it is there.';
comment on column sync.runs.product_version is 'Version of event-content-sync.';
comment on column sync.runs.started_by is 'User at the operating system who started the run. Personal.';
comment on column sync.runs.approved_by is 'Who approved the plan with apply; null where nobody had to. Personal.';
comment on column sync.runs.approved_at is 'When the plan was approved.';
comment on column sync.runs.config_hash is 'SHA-256 over the effective configuration, without secrets.';
comment on column sync.runs.time_zone is 'source.timeZone as the run was opened; null if there was none.';
comment on column sync.runs.custom is 'Custom fields as the run was configured, by content and name.';
comment on column sync.runs.contents is 'Contents that this run plans.';
comment on column sync.runs.base is 'State of the platform that the plan starts from.';
comment on column sync.runs.fence is 'Number that the platform tells stale runs by; null until the run is applied.';
comment on column sync.runs.plan_hash is 'SHA-256 of the plan; null before it is stored.';
comment on column sync.runs.certified is 'Whether every resource was proved to be read completely.';
comment on column sync.runs.held is 'The guard that held the plan and what it saw; null where none did.';
comment on column sync.runs.counts is 'Changes by content and action, excluded by reason, quarantined.';
comment on column sync.runs.error is 'What went wrong, without personal values; null where nothing did.';
comment on column sync.runs.figures_of is 'Run whose rows of sync.reconciliation are the figures of this run, too; null where it has rows of its own, or none.';
comment on column sync.runs.personal_data is 'audit.personalData as the pack was written; null before that.';
comment on column sync.runs.excel is 'audit.excel as the pack was written; null before that.';
comment on column sync.runs.suppressions is 'Revision, SHA-256 and counts of the file of suppressions at the end of the run, as in the manifest; null if there was never a suppression.';
comment on column sync.runs.manifest_sha256 is 'SHA-256 of the manifest of the audit pack, to which the next one refers; null without a pack.';
comment on column sync.runs.previous_manifest_sha256 is 'SHA-256 of the manifest of the pack that this run''s pack follows; null where it is the first, and as long as there is none.';
comment on column sync.runs.gap is 'Packs that stood beside this database, of which it had no run when this run began: run and SHA-256 of the manifest; the manifest of this run says so. Null where there was none.';
comment on column sync.runs.reissue_due is 'Whether its pack still holds somebody who was forgotten, and has to be written again.';
comment on column sync.runs.database_bytes is 'Size of the files of the embedded database at the end of the run, in bytes; null on PostgreSQL, and of a run that failed before.';
comment on table sync.superseded_manifests is 'Manifests of packs that were written again without somebody: links of the chain, since later packs name them.';
comment on column sync.superseded_manifests.integration_id is 'Integration.';
comment on column sync.superseded_manifests.run_id is 'Run of the pack.';
comment on column sync.superseded_manifests.place is 'How often the pack was written again by then, from 1.';
comment on column sync.superseded_manifests.sha256 is 'SHA-256 of the manifest, in hex.';
comment on column sync.superseded_manifests.manifest is 'The manifest, which names who started and approved the run. Personal.';
comment on column sync.superseded_manifests.signature is 'Its signature; null if it had none.';
comment on column sync.superseded_manifests.superseded_at is 'When another took its place.';
comment on table sync.suppressed is 'Items that somebody left out by hand (event-sync suppress), known or not, until that is taken back.';
comment on column sync.suppressed.source is 'Kind of source of which it is left out.';
comment on column sync.suppressed.source_place is 'Host, port and path of that source.';
comment on column sync.suppressed.source_event_id is 'Its event.';
comment on column sync.suppressed.content is 'agenda, speakers or attendees.';
comment on column sync.suppressed.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.suppressed.integration_id is 'Integration by which it was left out; empty for what was imported.';
comment on column sync.suppressed.suppressed_at is 'Since when.';
comment on column sync.suppressed.suppressed_by is 'User at the operating system who ran suppress. Personal.';
comment on column sync.suppressed.reason is 'The reason that the operator gave. Personal.';
comment on table sync.suppression_files is 'Revision of the file beside the packs with the suppressions of an integration, by which an older database is noticed.';
comment on column sync.suppression_files.integration_id is 'Integration.';
comment on column sync.suppression_files.revision is 'Number of changes of the file that this database knows.';
comment on table sync.unseen is 'Staged records that a run did not see, but that stay current since the read was not proved complete: nothing is removed on their account.';
comment on column sync.unseen.integration_id is 'Integration.';
comment on column sync.unseen.run_id is 'Run.';
comment on column sync.unseen.resource is 'Resource of the record.';
comment on column sync.unseen.source_id is 'The record. Personal.';
comment on function sync.unsigned_address(address text) is 'An address without the parameters that sign it, to compare it with another one.';
comment on function sync.unsigned_addresses(value jsonb) is 'An address, or a list of them, as sync.unsigned_address has it.';
comment on table sync.unstaged is 'Records of a run that have no row in staging: repeated ids (the later record counts) and quarantined records.';
comment on column sync.unstaged.integration_id is 'Integration.';
comment on column sync.unstaged.run_id is 'Run that read the record.';
comment on column sync.unstaged.resource is 'Resource.';
comment on column sync.unstaged.ordinal is 'Place of the record in source order, from 1.';
comment on column sync.unstaged.source_id is 'Id of the record; null where it has none. Personal.';
comment on column sync.unstaged.id is 'Id that the source gave; null where the e-mail address stands in.';
comment on column sync.unstaged.reason is 'duplicate_id, or invalid_record: quarantined.';
comment on column sync.unstaged.path is 'JSON path of the fault; empty for repeated ids.';
comment on column sync.unstaged.detail is 'What is wrong, without personal values.';
comment on column sync.unstaged.row_check is 'First six bytes of the version''s hash, for the control total; null once its person was forgotten.';
