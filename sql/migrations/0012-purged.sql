-- Retention: of a run that was purged, the ledger's line is left, and the hash of its manifest.

alter table sync.runs add column purged_at timestamptz;
comment on column sync.runs.purged_at is 'When what the run had read, planned and sent was purged; null where it is there.';

create table sync.purges (
  integration_id text collate "C" not null,
  purged_at timestamptz not null,
  purged_by text not null,
  older_than_days integer not null,
  before_run uuid not null,
  rows jsonb not null,
  packs jsonb not null,
  told_by_run uuid,
  finished_at timestamptz,
  primary key (integration_id, purged_at)
);
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
