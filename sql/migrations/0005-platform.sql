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
comment on table sync.platform_items is 'Items that the platform acknowledged, or that the product read back from the platform.';
comment on column sync.platform_items.integration_id is 'Id of the integration.';
comment on column sync.platform_items.content is 'Content: agenda, speakers or attendees.';
comment on column sync.platform_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.platform_items.fields is 'Platform fields that the platform last acknowledged, or that were last read back. Personal.';
comment on column sync.platform_items.run_id is 'Run that sent the item, or that first read the item back.';
comment on column sync.platform_items.preexisting is 'True if the platform had the item when the product first read the platform back, and no run has sent the item since.';

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
comment on column sync.changes.phase is 'Phase in which the change is sent. The phases in order: freeing (removals that must come before an upsert), upserts, removals (all other removals).';
comment on column sync.changes.together is 'Number that is equal for changes in which attendees take over e-mail addresses from each other. Changes with the same number are sent in one batch. together is null for all other changes.';
comment on column sync.changes.content is 'Content: agenda, speakers or attendees.';
comment on column sync.changes.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.changes.action is 'Action on the item: create, update, remove or handover. In a handover, another person has taken over the registration of an attendee: the item is removed and then created again under the same unique ID.';
comment on column sync.changes.reason is 'Reason for a removal; empty for create and update.';
comment on column sync.changes.inferred is 'True for a removal that no record states, for example because the record is gone (removed_at_source).';
comment on column sync.changes.before is 'Platform fields before the change; null for create. Personal.';
comment on column sync.changes.after is 'Platform fields after the change; null for remove. Personal.';
comment on column sync.changes.change_hash is 'SHA-256 of the change. The hash of the plan is computed from the hashes of its changes.';
comment on column sync.changes.state is 'State of the change. pending: not sent yet; sent: in a batch whose answer is not known, so the platform may have applied the change; applied: acknowledged by the platform; failed: rejected by the platform; withheld: not sent in this run.';
comment on column sync.changes.batch is 'Number of the batch in which the change is sent; null before the change is in a batch.';
comment on column sync.changes.alone is 'True if the change is sent in its own batch, because the platform refused a batch that contained the change.';
comment on column sync.changes.freed is 'For a handover: true if the platform has removed the item of the previous person.';
comment on column sync.changes.result is 'Result that the platform reported: created, updated, unchanged, removed or failed; null before the answer.';
comment on column sync.changes.code is 'Code with which the platform rejected the change. The code read_back means that the answer was unclear, so the product read the item back.';
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
comment on column sync.batches.run_id is 'Run whose plan the batch applies.';
comment on column sync.batches.batch is 'Number of the batch in the run, from 1.';
comment on column sync.batches.phase is 'Phase of the changes in the batch: freeing, upserts or removals, in this order.';
comment on column sync.batches.first_seq is 'Number (seq) of the first change in the batch.';
comment on column sync.batches.last_seq is 'Number (seq) of the last change in the batch. Not every change between first_seq and last_seq belongs to the batch: see sync.changes.batch.';
comment on column sync.batches.reach is 'Highest seq of all changes in this batch and in earlier batches of its phase. No batch has contained a change of this phase with a higher seq so far.';
comment on column sync.batches.idempotency_key is 'Key by which the platform recognises a repeated batch.';
comment on column sync.batches.sha256 is 'SHA-256 of the body without passwords, in hex. The product always sends the same key with the same body.';
comment on column sync.batches.state is 'State of the batch. sent: its answer is not known; answered: its answer is recorded; refused: the platform refused the whole batch, so nothing in it had an effect.';
comment on column sync.batches.sent_at is 'Time just before the batch was sent for the first time.';
comment on column sync.batches.answered_at is 'Time at which the answer was recorded; null before that time.';

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
