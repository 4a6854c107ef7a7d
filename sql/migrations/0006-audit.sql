-- Figures of audit packs, replaced manifests, and purges.

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
comment on table sync.reconciliation is 'Rows of reconciliation.csv of each run: counts and control totals, each with the value that it must have. If a run has the same figures as an earlier run, the run has no rows of its own: see figures_of in sync.runs.';
comment on column sync.reconciliation.integration_id is 'Id of the integration.';
comment on column sync.reconciliation.run_id is 'Id of the run.';
comment on column sync.reconciliation.place is 'Position of the row in the file, from 1.';
comment on column sync.reconciliation.content is 'Content: agenda, speakers or attendees. content is empty for a sum over a resource.';
comment on column sync.reconciliation.resource is 'Name of the resource of the records.';
comment on column sync.reconciliation.measure is 'Name of the count or control total.';
comment on column sync.reconciliation.count is 'Value that was found.';
comment on column sync.reconciliation.expected is 'Value that the column count must have, computed from other rows. expected is null if the row is only a part of a sum.';

create table sync.superseded_manifests (
  integration_id text collate "C" not null,
  run_id uuid not null,
  place integer not null,
  sha256 text not null,
  manifest text not null,
  details text not null,
  signature text,
  superseded_at timestamptz not null,
  primary key (integration_id, run_id, place),
  unique (integration_id, run_id, sha256)
);
comment on table sync.superseded_manifests is 'Earlier manifests of packs that were written again without a forgotten person. The product keeps these manifests, because later packs name them.';
comment on column sync.superseded_manifests.integration_id is 'Id of the integration.';
comment on column sync.superseded_manifests.run_id is 'Run of the pack.';
comment on column sync.superseded_manifests.place is 'Number of the manifest among the replaced manifests of the pack, from 1.';
comment on column sync.superseded_manifests.sha256 is 'SHA-256 of the manifest, in hex.';
comment on column sync.superseded_manifests.manifest is 'Text of the manifest. The manifest names the users who started and approved the run. Personal.';
comment on column sync.superseded_manifests.details is 'Text of the file details.json that the manifest names.';
comment on column sync.superseded_manifests.signature is 'Signature of the manifest; null if the manifest had no signature.';
comment on column sync.superseded_manifests.superseded_at is 'Time at which a new manifest replaced this manifest.';

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
comment on table sync.purges is 'Deletions of old data by event-sync purge and by the retention of workers. The manifest of the next pack of the integration lists these deletions.';
comment on column sync.purges.integration_id is 'Id of the integration.';
comment on column sync.purges.purged_at is 'Time at which the purge began.';
comment on column sync.purges.purged_by is 'User of the operating system who ran the purge. Personal.';
comment on column sync.purges.older_than_days is 'Age in days that the user gave, or that the retention in the configuration has. The purge deletes data that is older. older_than_days is 0 if the purge was done with another database, or by event-sync erase.';
comment on column sync.purges.before_run is 'First run whose data is kept completely.';
comment on column sync.purges.rows is 'Number of rows that the purge had to delete, by table.';
comment on column sync.purges.packs is 'Packs whose files were deleted, with run and SHA-256 of the manifest. The manifest itself was not deleted.';
comment on column sync.purges.told_by_run is 'Run whose manifest lists the purge; null until a manifest lists it.';
comment on column sync.purges.finished_at is 'Time at which all rows were deleted and their space was free. finished_at is null if the command was killed earlier; the next purge then continues.';

create table sync.former_ids (
  integration_id text collate "C" not null,
  place integer not null,
  former_id text collate "C" not null,
  renamed_at timestamptz not null,
  renamed_by text not null,
  last_run uuid,
  told_by_run uuid,
  is_folder_due boolean not null,
  primary key (integration_id, place)
);
comment on table sync.former_ids is 'Former ids of integrations that event-sync rename has renamed. Packs of earlier runs still contain the former ids.';
comment on column sync.former_ids.integration_id is 'Id of the integration.';
comment on column sync.former_ids.place is 'Number of the renaming of the integration. The first renaming has the number 1.';
comment on column sync.former_ids.former_id is 'Id until this renaming.';
comment on column sync.former_ids.renamed_at is 'Time of the renaming.';
comment on column sync.former_ids.renamed_by is 'User of the operating system who ran event-sync rename. Personal.';
comment on column sync.former_ids.last_run is 'Last run with the former id, in this database or in a pack; null if there was no such run. The packs of this run and of earlier runs contain the former id.';
comment on column sync.former_ids.told_by_run is 'Run whose manifest lists the renaming; null if no manifest lists the renaming yet.';
comment on column sync.former_ids.is_folder_due is 'True if the folder of the packs still has the former id as its name. The next command that works on the integration renames the folder.';
