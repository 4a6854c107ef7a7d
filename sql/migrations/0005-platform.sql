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
comment on table sync.platform_items is 'Items that the platform has, as far as it acknowledged them or they were read back.';
comment on column sync.platform_items.integration_id is 'Id of the integration.';
comment on column sync.platform_items.content is 'agenda, speakers or attendees.';
comment on column sync.platform_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.platform_items.fields is 'Platform fields as they were last acknowledged or read back. Personal.';
comment on column sync.platform_items.run_id is 'Run that sent the item, or that was the first to read it back.';
comment on column sync.platform_items.preexisting is 'True if the platform had the item when it was first read back, and no run has sent it since.';

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
comment on table sync.changes is 'Plan of each run: the items to create, update or remove, in the order in which they are sent.';
comment on column sync.changes.integration_id is 'Id of the integration.';
comment on column sync.changes.run_id is 'Run that planned the change.';
comment on column sync.changes.seq is 'Position of the change in the plan, from 1.';
comment on column sync.changes.phase is 'Phase in which the change is sent, in this order: freeing (removals for which an upsert waits), upserts, removals (all other removals).';
comment on column sync.changes.together is 'Changes with the same number take over e-mail addresses from each other, so they are sent in one batch; null for other changes.';
comment on column sync.changes.content is 'agenda, speakers or attendees.';
comment on column sync.changes.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.changes.action is 'create, update, remove or handover. In a handover, the registration of an attendee changed hands: the item is removed and then created again under the same unique ID.';
comment on column sync.changes.reason is 'Why the item is removed; empty for create and update.';
comment on column sync.changes.inferred is 'For a removal: true if the records that were read do not state it, for example removed_at_source.';
comment on column sync.changes.before is 'Platform fields before the change; null for create. Personal.';
comment on column sync.changes.after is 'Platform fields after the change; null for remove. Personal.';
comment on column sync.changes.change_hash is 'SHA-256 of the change. The plan hash is computed from these hashes.';
comment on column sync.changes.state is 'State of the change. pending; sent: in a batch whose answer is not known, so the platform may have applied it; applied: acknowledged; failed: rejected by the platform; withheld: left out of this run.';
comment on column sync.changes.batch is 'Number of the batch in which the change is sent; null before that.';
comment on column sync.changes.alone is 'True if the change is sent in its own batch, because a batch with it was refused.';
comment on column sync.changes.freed is 'For a handover: true if the platform has removed the item of the previous person.';
comment on column sync.changes.result is 'Result that the platform reported: created, updated, unchanged, removed or failed; null before the answer.';
comment on column sync.changes.code is 'Reason code of the platform for a rejected change; read_back if the answer was unclear and the item was read back instead.';
comment on column sync.changes.retryable is 'True if the platform reports that the same change may succeed later.';

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
comment on table sync.batches is 'Batches of changes. Each batch is stored before it is sent for the first time.';
comment on column sync.batches.integration_id is 'Id of the integration.';
comment on column sync.batches.run_id is 'Run whose plan is applied.';
comment on column sync.batches.batch is 'Number of the batch in the run, from 1.';
comment on column sync.batches.phase is 'Phase of the changes in the batch: freeing, upserts or removals, in this order.';
comment on column sync.batches.first_seq is 'seq of the first change in the batch.';
comment on column sync.batches.last_seq is 'seq of the last change in the batch. Of the changes in between, the batch contains those that have its number in sync.changes.batch.';
comment on column sync.batches.reach is 'Highest seq that this batch, or an earlier batch of its phase, contained. Changes of the phase with a higher seq were in no batch so far.';
comment on column sync.batches.idempotency_key is 'Key by which the platform recognises a batch that it receives again.';
comment on column sync.batches.sha256 is 'SHA-256 of the body without passwords, in hex. The same key is always sent with the same body.';
comment on column sync.batches.state is 'sent: the answer is not known. answered. refused: nothing in the batch had an effect.';
comment on column sync.batches.sent_at is 'Time just before the batch was sent for the first time.';
comment on column sync.batches.answered_at is 'Time at which the answer was recorded; null before that.';

create table sync.passwords (
  integration_id text collate "C" not null,
  unique_id text collate "C" not null,
  sealed bytea not null,
  primary key (integration_id, unique_id)
);
comment on table sync.passwords is 'Random first passwords of attendees that are being created, encrypted. A row is deleted as soon as the platform has the attendee.';
comment on column sync.passwords.integration_id is 'Id of the integration.';
comment on column sync.passwords.unique_id is 'Unique ID of the attendee. Personal.';
comment on column sync.passwords.sealed is 'Password, encrypted with AES-256-GCM under sealingKey: nonce (12 bytes), tag (16 bytes), ciphertext. Personal.';
