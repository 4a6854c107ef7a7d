-- Sums that show that nothing was lost or doubled on the way from the source to the platform.

alter table sync.unstaged add column row_check bigint;
comment on column sync.unstaged.row_check is 'First six bytes of the version''s hash, for the control total; null in runs before 0.2.';

create table sync.reconciliation (
  integration_id text collate "C" not null,
  run_id uuid not null,
  place integer not null,
  content text collate "C" not null,
  resource text collate "C" not null,
  measure text not null,
  count numeric not null,
  expected numeric,
  primary key (integration_id, run_id, place)
);
comment on table sync.reconciliation is 'What reconciliation.csv of a run says: counts and control totals, each beside what it must be.';
comment on column sync.reconciliation.integration_id is 'Integration.';
comment on column sync.reconciliation.run_id is 'Run.';
comment on column sync.reconciliation.place is 'Place in the file, from 1.';
comment on column sync.reconciliation.content is 'agenda, speakers or attendees; empty for a sum over a resource.';
comment on column sync.reconciliation.resource is 'Resource of the records.';
comment on column sync.reconciliation.measure is 'What is counted.';
comment on column sync.reconciliation.count is 'What was found.';
comment on column sync.reconciliation.expected is 'What it must be, from other rows; null where it is a summand only.';

alter table sync.runs add column personal_data text check (personal_data in ('full', 'masked'));
comment on column sync.runs.personal_data is 'audit.personalData as the pack was written; null before that, and in runs before 0.2, where it was full.';
alter table sync.runs add column excel boolean;
comment on column sync.runs.excel is 'audit.excel as the pack was written; null before that, and in runs before 0.2, where it was false.';
