-- Figures of packs, and purges.

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
comment on table sync.reconciliation is 'What reconciliation.csv of a run says: counts and control totals, each beside what it must be. A run whose figures are those of another one has no rows: see figures_of of sync.runs.';
comment on column sync.reconciliation.integration_id is 'Integration.';
comment on column sync.reconciliation.run_id is 'Run.';
comment on column sync.reconciliation.place is 'Place in the file, from 1.';
comment on column sync.reconciliation.content is 'agenda, speakers or attendees; empty for a sum over a resource.';
comment on column sync.reconciliation.resource is 'Resource of the records.';
comment on column sync.reconciliation.measure is 'What is counted.';
comment on column sync.reconciliation.count is 'What was found.';
comment on column sync.reconciliation.expected is 'What it must be, from other rows; null where it is a summand only.';

create table sync.superseded_manifests (
  integration_id text collate "C" not null,
  run_id uuid not null,
  place integer not null,
  sha256 text not null,
  manifest text not null,
  signature text,
  superseded_at timestamptz not null,
  primary key (integration_id, run_id, place),
  unique (integration_id, run_id, sha256)
);
comment on table sync.superseded_manifests is 'Manifests of packs that were written again without someone: links of the chain, since later packs name them.';
comment on column sync.superseded_manifests.integration_id is 'Integration.';
comment on column sync.superseded_manifests.run_id is 'Run of the pack.';
comment on column sync.superseded_manifests.place is 'How often the pack was written again by then, from 1.';
comment on column sync.superseded_manifests.sha256 is 'SHA-256 of the manifest, in hex.';
comment on column sync.superseded_manifests.manifest is 'The manifest, which names who started and approved the run. Personal.';
comment on column sync.superseded_manifests.signature is 'Its signature; null if it had none.';
comment on column sync.superseded_manifests.superseded_at is 'When another took its place.';

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
