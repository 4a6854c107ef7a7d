-- Registrations that change hands: the item of the person before is removed before the new person gets one.

alter table sync.changes drop constraint changes_action_check;
alter table sync.changes add constraint changes_action_check check (action in ('create', 'update', 'handover', 'remove'));
comment on column sync.changes.action is 'create, update, remove, or handover: an attendee whose registration changed hands is removed, then created under the same unique ID.';
comment on column sync.changes.before is 'Platform fields before; null for create. Personal.';
alter table sync.changes add column freed boolean not null default false;
comment on column sync.changes.freed is 'Of a handover: whether the platform has removed the item of the person before.';
-- Without this index each run reads its whole plan to find that nothing goes before the upserts.
create index changes_before_upserts on sync.changes (integration_id, run_id, seq) where phase = 'freeing' or action = 'handover';
