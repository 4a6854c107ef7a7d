-- What the product knows and did: integrations, runs, certificates, desired items, plans, platform state.

create schema sync;
comment on schema sync is 'State of the product: integrations, runs, certificates, plans and what the platform has. Written by the product only.';

create table sync.integrations (
  integration_id text collate "C" primary key,
  source text not null,
  source_url text not null,
  source_event_id text not null,
  platform text not null,
  platform_url text not null,
  platform_event_id text not null,
  time_zone text,
  base bigint not null,
  fence bigint not null default 0,
  contents_read_back text[] not null default '{}'
);
comment on table sync.integrations is 'One source event synced to one platform event; bound to both at its first run.';
comment on column sync.integrations.integration_id is 'Id in event-sync.yaml.';
comment on column sync.integrations.source is 'a or b.';
comment on column sync.integrations.source_url is 'Address of the source, without credentials.';
comment on column sync.integrations.source_event_id is 'Event id at the source.';
comment on column sync.integrations.platform is 'Kind of target: jsonl or http.';
comment on column sync.integrations.platform_url is 'Address of the platform; empty for jsonl.';
comment on column sync.integrations.platform_event_id is 'Event id at the platform; empty for jsonl.';
comment on column sync.integrations.time_zone is 'source.timeZone of the last run; null where none is configured.';
comment on column sync.integrations.base is 'Counts the states of the platform as known here; a plan is current while its base is.';
comment on column sync.integrations.fence is 'Highest fence number of a run; the platform refuses a run with a lower one than it has seen.';
comment on column sync.integrations.contents_read_back is 'Contents of which it is known what the platform had before these runs: they were read back.';

create table sync.runs (
  integration_id text collate "C" not null,
  run_id uuid not null,
  command text not null check (command in ('run', 'plan')),
  status text not null check (status in ('running', 'planned', 'held', 'applying', 'applied', 'finished', 'failed', 'abandoned')),
  started_at timestamptz not null,
  planned_at timestamptz,
  applied_at timestamptz,
  finished_at timestamptz,
  product_version text not null,
  started_by text not null,
  approved_by text,
  approved_at timestamptz,
  config_hash text not null,
  contents text[] not null,
  base bigint not null,
  fence bigint,
  plan_hash text,
  certified boolean,
  held jsonb,
  counts jsonb,
  error text,
  manifest_sha256 text,
  primary key (integration_id, run_id)
);
comment on table sync.runs is 'One execution for one integration.';
comment on column sync.runs.integration_id is 'Integration.';
comment on column sync.runs.run_id is 'UUIDv7; grows with time.';
comment on column sync.runs.command is 'run or plan.';
comment on column sync.runs.status is 'running; planned or held (stored, nothing sent); applying; applied (platform done, pack not yet); finished; failed; abandoned (died before its plan was stored).';
comment on column sync.runs.started_at is 'When the run started.';
comment on column sync.runs.planned_at is 'When the plan was stored.';
comment on column sync.runs.applied_at is 'When the platform had every planned change.';
comment on column sync.runs.finished_at is 'When the run ended, in success or failure; of an applied run, when its pack was begun.';
comment on column sync.runs.product_version is 'Version of event-content-sync.';
comment on column sync.runs.started_by is 'User at the operating system who started the run. Personal.';
comment on column sync.runs.approved_by is 'Who approved the plan with apply; null where nobody had to. Personal.';
comment on column sync.runs.approved_at is 'When the plan was approved.';
comment on column sync.runs.config_hash is 'SHA-256 over the effective configuration, without secrets.';
comment on column sync.runs.contents is 'Contents that this run plans.';
comment on column sync.runs.base is 'State of the platform that the plan starts from.';
comment on column sync.runs.fence is 'Number that the platform tells stale runs by; null until the run is applied.';
comment on column sync.runs.plan_hash is 'SHA-256 of the plan; null before it is stored.';
comment on column sync.runs.certified is 'Whether every resource was proved to be read completely.';
comment on column sync.runs.held is 'The guard that held the plan and what it saw; null where none did.';
comment on column sync.runs.counts is 'Changes by content and action, excluded by reason, quarantined.';
comment on column sync.runs.manifest_sha256 is 'SHA-256 of the manifest of the audit pack, to which the next one refers; null without a pack.';
comment on column sync.runs.error is 'What went wrong, without personal values; null where nothing did.';

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
  checksum numeric not null,
  primary key (integration_id, run_id, resource)
);
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
comment on column sync.certificates.detail is 'Why the resource is not certified; empty where it is.';
comment on column sync.certificates.checksum is 'Sum over the records, which the merge compares with what arrived.';

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
  answered_at timestamptz not null,
  primary key (integration_id, run_id, resource, page)
);
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

create table sync.readings (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  shape text not null,
  place text,
  elements bigint not null,
  faults bigint not null,
  checksum numeric not null,
  requests integer not null,
  attempts integer not null,
  end_proof text,
  declared bigint,
  saved_at timestamptz not null,
  primary key (integration_id, run_id, resource)
);
comment on table sync.readings is 'How far a run has read each resource, until it is merged: a run that dies before is continued from here.';
comment on column sync.readings.integration_id is 'Integration.';
comment on column sync.readings.run_id is 'Run that reads it.';
comment on column sync.readings.resource is 'Resource, for example users.';
comment on column sync.readings.shape is 'SHA-256 over all that shapes the rows: address, columns, rules of the door, options.';
comment on column sync.readings.place is 'Where the reader of the source goes on, in JSON; null before the first page.';
comment on column sync.readings.elements is 'Records that the incoming table holds at this point.';
comment on column sync.readings.faults is 'Quarantined records among them.';
comment on column sync.readings.checksum is 'Sum over the records, which must be found again.';
comment on column sync.readings.requests is 'Answers that these records were read from.';
comment on column sync.readings.attempts is 'Requests that were sent so far.';
comment on column sync.readings.end_proof is 'How the end was proved; null before the end.';
comment on column sync.readings.declared is 'Count that the source declared; null where it declares none.';
comment on column sync.readings.saved_at is 'When this point was saved; older ones than http.resumeMinutes are not continued.';

create table sync.unstaged (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  ordinal bigint not null,
  source_id text collate "C",
  id text collate "C",
  reason text not null check (reason in ('invalid_record', 'duplicate_id')),
  path text not null,
  detail text not null,
  primary key (integration_id, run_id, resource, ordinal)
);
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

create table sync.unseen (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  source_id text collate "C" not null,
  primary key (integration_id, run_id, resource, source_id)
);
comment on table sync.unseen is 'Staged records that a run did not see, but that stay current since the read was not proved complete: nothing is removed on their account.';
comment on column sync.unseen.integration_id is 'Integration.';
comment on column sync.unseen.run_id is 'Run.';
comment on column sync.unseen.resource is 'Resource of the record.';
comment on column sync.unseen.source_id is 'The record. Personal.';

create table sync.decisions (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  resource text collate "C" not null,
  source_id text collate "C" not null,
  unique_id text collate "C",
  decision text not null check (decision in ('synced', 'excluded')),
  reason text not null,
  detail text not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, content, source_id, valid_from_run)
);
create unique index decisions_current on sync.decisions (integration_id, content, source_id) where valid_to_run is null;
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

create table sync.desired_items (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  fields jsonb not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, content, unique_id, valid_from_run)
);
create unique index desired_items_current on sync.desired_items (integration_id, content, unique_id) where valid_to_run is null;
comment on table sync.desired_items is 'What the platform should have, with history.';
comment on column sync.desired_items.integration_id is 'Integration.';
comment on column sync.desired_items.content is 'agenda, speakers or attendees.';
comment on column sync.desired_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.desired_items.fields is 'Platform fields; those without a value are left out. Personal.';
comment on column sync.desired_items.valid_from_run is 'First run with these fields.';
comment on column sync.desired_items.valid_to_run is 'First run without them; null while current.';

create table sync.platform_items (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  fields jsonb not null,
  run_id uuid not null,
  primary key (integration_id, content, unique_id)
);
comment on table sync.platform_items is 'What the platform has, as far as it acknowledged it.';
comment on column sync.platform_items.integration_id is 'Integration.';
comment on column sync.platform_items.content is 'agenda, speakers or attendees.';
comment on column sync.platform_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.platform_items.fields is 'Platform fields as last sent and acknowledged. Personal.';
comment on column sync.platform_items.run_id is 'Run that sent them.';

create table sync.changes (
  integration_id text collate "C" not null,
  run_id uuid not null,
  seq bigint not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  action text not null check (action in ('create', 'update', 'remove')),
  reason text not null,
  before jsonb,
  after jsonb,
  change_hash bytea not null,
  inferred boolean not null default false,
  state text not null check (state in ('pending', 'sent', 'applied', 'failed', 'withheld')),
  batch integer,
  alone boolean not null default false,
  result text check (result in ('created', 'updated', 'unchanged', 'removed', 'failed')),
  code text,
  retryable boolean,
  primary key (integration_id, run_id, seq),
  unique (integration_id, run_id, content, unique_id)
);
create index changes_alone on sync.changes (integration_id, run_id, seq) where alone and state = 'pending';
comment on table sync.changes is 'The plan of a run: each item to create, update or remove, in the order in which it is sent.';
comment on column sync.changes.integration_id is 'Integration.';
comment on column sync.changes.run_id is 'Run that planned the change.';
comment on column sync.changes.seq is 'Place in the plan, from 1.';
comment on column sync.changes.content is 'agenda, speakers or attendees.';
comment on column sync.changes.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.changes.action is 'create, update or remove.';
comment on column sync.changes.reason is 'Why the item is removed; empty for create and update.';
comment on column sync.changes.before is 'Platform fields before; null for create. Personal.';
comment on column sync.changes.after is 'Platform fields after; null for remove. Personal.';
comment on column sync.changes.change_hash is 'SHA-256 over the change; the plan hash is made of these.';
comment on column sync.changes.inferred is 'For a removal: true where no record that was read states it, as for removed_at_source.';
comment on column sync.changes.state is 'pending; sent: in a batch whose answer is not known, so the platform may have it; applied: acknowledged; failed: rejected by the platform; withheld: left out of this run.';
comment on column sync.changes.batch is 'Batch that the change is sent in; null before.';
comment on column sync.changes.alone is 'Whether it is sent in a batch of its own, after a batch with it was refused.';
comment on column sync.changes.result is 'What the platform said: created, updated, unchanged, removed or failed; null before.';
comment on column sync.changes.code is 'Why the platform rejected the change, as it says.';
comment on column sync.changes.retryable is 'Whether the platform says that the same change may succeed later.';

create table sync.batches (
  integration_id text collate "C" not null,
  run_id uuid not null,
  batch integer not null,
  phase text not null check (phase in ('upserts', 'removals')),
  first_seq bigint not null,
  last_seq bigint not null,
  reach bigint not null,
  idempotency_key text not null,
  sha256 text not null,
  state text not null check (state in ('sent', 'answered', 'refused')),
  sent_at timestamptz not null,
  answered_at timestamptz,
  primary key (integration_id, run_id, batch)
);
comment on table sync.batches is 'Batches of changes, each stored before it is sent for the first time.';
comment on column sync.batches.integration_id is 'Integration.';
comment on column sync.batches.run_id is 'Run whose plan is applied.';
comment on column sync.batches.batch is 'Number within the run, from 1.';
comment on column sync.batches.phase is 'upserts, or removals: these come last.';
comment on column sync.batches.first_seq is 'First of its changes.';
comment on column sync.batches.last_seq is 'Last of its changes; of those in between, it has those that name it.';
comment on column sync.batches.reach is 'Last change that this batch or one before it has had: those after it were in none.';
comment on column sync.batches.idempotency_key is 'Key by which the platform knows the batch again.';
comment on column sync.batches.sha256 is 'SHA-256 of the body with passwords left out, in hex: the same key always goes with the same body.';
comment on column sync.batches.state is 'sent: the answer is not known; answered; refused: nothing of it had an effect.';
comment on column sync.batches.sent_at is 'When it was about to be sent for the first time.';
comment on column sync.batches.answered_at is 'When its answer was recorded; null before.';

create table sync.passwords (
  integration_id text collate "C" not null,
  unique_id text collate "C" not null,
  sealed bytea not null,
  primary key (integration_id, unique_id)
);
comment on table sync.passwords is 'Random passwords of attendees that are being created, sealed; a row is gone as soon as the platform has the attendee.';
comment on column sync.passwords.integration_id is 'Integration.';
comment on column sync.passwords.unique_id is 'Unique ID of the attendee. Personal.';
comment on column sync.passwords.sealed is 'AES-256-GCM under sealingKey: nonce (12 bytes), tag (16 bytes), ciphertext. Personal.';
