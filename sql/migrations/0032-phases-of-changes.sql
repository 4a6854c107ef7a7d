-- Removals that an upsert waits for go first, and items that exchange e-mail addresses go together.

alter table sync.changes add column phase text;
update sync.changes set phase = case when action = 'remove' then 'removals' else 'upserts' end;
alter table sync.changes alter column phase set not null;
alter table sync.changes add constraint changes_phase_check check (phase in ('freeing', 'upserts', 'removals'));
comment on column sync.changes.phase is 'When it is sent: freeing, which are removals that an upsert waits for; upserts; removals, which are all others.';
alter table sync.changes add column together bigint;
comment on column sync.changes.together is 'Changes with the same number take over e-mail addresses from each other, so they are sent in one batch; null for others.';
comment on table sync.changes is 'The plan of a run: each item to create, update or remove, in the order in which it is sent.';

alter table sync.batches drop constraint batches_phase_check;
alter table sync.batches add constraint batches_phase_check check (phase in ('freeing', 'upserts', 'removals'));
comment on column sync.batches.phase is 'Phase of its changes: freeing, upserts or removals, in this order.';
