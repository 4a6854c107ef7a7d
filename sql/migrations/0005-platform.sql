-- The items of the platform, and the operations for it.

create table sync.platform_items (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  fields jsonb not null,
  run_id uuid not null,
  preexisting boolean not null default false,
  primary key (integration_id, content, unique_id)
);
comment on table sync.platform_items is 'What the platform has, as far as it acknowledged it.';
comment on column sync.platform_items.integration_id is 'Integration.';
comment on column sync.platform_items.content is 'agenda, speakers or attendees.';
comment on column sync.platform_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.platform_items.fields is 'Platform fields as last sent and acknowledged. Personal.';
comment on column sync.platform_items.run_id is 'Run that sent the item, or was the first to read it back.';
comment on column sync.platform_items.preexisting is 'True if the platform had the item when it was read back for the first time, and no run has sent it since.';

create table sync.changes (
  integration_id text collate "C" not null,
  run_id uuid not null,
  seq bigint not null,
  phase text not null check (phase in ('freeing', 'upserts', 'removals')),
  together bigint,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  action text not null check (action in ('create', 'update', 'handover', 'remove')),
  reason text not null,
  inferred boolean not null default false,
  before jsonb,
  after jsonb,
  change_hash bytea not null,
  state text not null check (state in ('pending', 'sent', 'applied', 'failed', 'withheld')),
  batch integer,
  alone boolean not null default false,
  freed boolean not null default false,
  result text check (result in ('created', 'updated', 'unchanged', 'removed', 'failed')),
  code text,
  retryable boolean,
  primary key (integration_id, run_id, seq),
  unique (integration_id, run_id, content, unique_id)
) with (fillfactor = 45);
create index changes_alone on sync.changes (integration_id, run_id, seq) where alone;
create index changes_before_upserts on sync.changes (integration_id, run_id, seq) where phase = 'freeing' or action = 'handover';
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
comment on column sync.changes.alone is 'True if it is sent in its own batch, after a batch with it was refused.';
comment on column sync.changes.freed is 'Of a handover: whether the platform has removed the item of the person before.';
comment on column sync.changes.result is 'What the platform said: created, updated, unchanged, removed or failed; null before.';
comment on column sync.changes.code is 'Why the platform rejected the change, as it says.';
comment on column sync.changes.retryable is 'True if the platform says that the same change may succeed later.';

create table sync.batches (
  integration_id text collate "C" not null,
  run_id uuid not null,
  batch integer not null,
  phase text not null check (phase in ('freeing', 'upserts', 'removals')),
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
comment on column sync.batches.phase is 'Phase of its changes: freeing, upserts or removals, in this order.';
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
