-- Integrations, their runs, and notices about them.

create schema sync;
comment on schema sync is 'State of the product: integrations, runs, certificates, plans and what the platform has. Written by the product only.';

create table sync.integrations (
  integration_id text collate "C" primary key,
  source text not null,
  source_url text not null,
  source_place text not null,
  source_event_id text not null,
  platform text not null,
  platform_url text not null,
  platform_event_id text not null,
  owns_platform_event boolean not null default true,
  time_zone text,
  base bigint not null,
  fence bigint not null default 0,
  platform_fence bigint not null default 0,
  contents_read_back text[] not null default '{}',
  transform_basis bytea
);
create unique index integrations_platform_event on sync.integrations (platform, platform_url, platform_event_id) where owns_platform_event and platform_url <> '';
comment on table sync.integrations is 'One source event synced to one platform event; bound to both at its first run.';
comment on column sync.integrations.integration_id is 'Id in event-sync.yaml.';
comment on column sync.integrations.source is 'Kind of source, such as a.';
comment on column sync.integrations.source_url is 'Address of the source, without credentials.';
comment on column sync.integrations.source_place is 'Host, port and path of the source, the same for all spellings of its address.';
comment on column sync.integrations.source_event_id is 'Event id at the source.';
comment on column sync.integrations.platform is 'Kind of target, such as http.';
comment on column sync.integrations.platform_url is 'Address of the platform; empty for jsonl.';
comment on column sync.integrations.platform_event_id is 'Event id at the platform; empty for jsonl.';
comment on column sync.integrations.owns_platform_event is 'True if its runs may write to the platform event: false where another integration took it over, or several wrote to it before that was refused.';
comment on column sync.integrations.time_zone is 'source.timeZone of the last run; null where none is configured.';
comment on column sync.integrations.base is 'Counts the states of the platform as known here; a plan is current while its base is.';
comment on column sync.integrations.fence is 'Highest fence number of a run; the platform refuses a run with a lower one than it has seen.';
comment on column sync.integrations.platform_fence is 'Highest fence with which something landed on the platform, or as it was read back; 0 where nothing is known. A platform with a lower one was restored from a backup.';
comment on column sync.integrations.contents_read_back is 'Contents of which it is known what the platform had before these runs: they were read back.';
comment on column sync.integrations.transform_basis is 'SHA-256 over the statements that made the decisions and desired items that stand; null where they must be made again.';

create table sync.runs (
  integration_id text collate "C" not null,
  run_id uuid not null,
  command text not null check (command in ('run', 'plan')),
  status text not null check (status in ('running', 'planned', 'held', 'applying', 'applied', 'finished', 'failed', 'abandoned')),
  started_at timestamptz not null,
  planned_at timestamptz,
  applied_at timestamptz,
  finished_at timestamptz,
  purged_at timestamptz,
  product_version text not null,
  started_by text not null,
  approved_by text,
  approved_at timestamptz,
  config_hash text not null,
  event_name text,
  time_zone text,
  custom jsonb not null default '{}',
  contents text[] not null,
  base bigint not null,
  fence bigint,
  plan_hash text,
  certified boolean,
  held jsonb,
  counts jsonb,
  error text,
  figures_of uuid,
  personal_data text check (personal_data in ('full', 'masked')),
  excel boolean,
  suppressions jsonb,
  manifest_sha256 text,
  previous_manifest_sha256 text,
  gap jsonb,
  reissue_due boolean not null default false,
  database_bytes bigint,
  primary key (integration_id, run_id)
);
create index runs_by_id on sync.runs (run_id);
comment on table sync.runs is 'One execution for one integration.';
comment on column sync.runs.integration_id is 'Integration.';
comment on column sync.runs.run_id is 'UUIDv7; grows with time.';
comment on column sync.runs.command is 'run or plan.';
comment on column sync.runs.status is 'running; planned or held (stored, nothing sent); applying; applied (platform done, pack not yet); finished; failed; abandoned (died before its plan was stored).';
comment on column sync.runs.started_at is 'When the run started.';
comment on column sync.runs.planned_at is 'When the plan was stored.';
comment on column sync.runs.applied_at is 'When the platform had every planned change.';
comment on column sync.runs.finished_at is 'When the run ended, in success or failure; of an applied run, when its pack was begun.';
comment on column sync.runs.purged_at is 'When what the run had read, planned and sent was purged; null where it is there.';
comment on column sync.runs.product_version is 'Version of event-content-sync.';
comment on column sync.runs.started_by is 'User at the operating system who started the run. Personal.';
comment on column sync.runs.approved_by is 'Who approved the plan with apply; null where nobody had to. Personal.';
comment on column sync.runs.approved_at is 'When the plan was approved.';
comment on column sync.runs.config_hash is 'SHA-256 over the effective configuration, without secrets.';
comment on column sync.runs.event_name is 'name of the integration in event-sync.yaml when the run was opened; null if none was configured.';
comment on column sync.runs.time_zone is 'source.timeZone as the run was opened; null if there was none.';
comment on column sync.runs.custom is 'Custom fields as the run was configured, by content and name.';
comment on column sync.runs.contents is 'Contents that this run plans.';
comment on column sync.runs.base is 'State of the platform that the plan starts from.';
comment on column sync.runs.fence is 'Number that the platform tells stale runs by; null until the run is applied.';
comment on column sync.runs.plan_hash is 'SHA-256 of the plan; null before it is stored.';
comment on column sync.runs.certified is 'True if every resource was proved to be read completely.';
comment on column sync.runs.held is 'The guard that held the plan and what it saw; null where none did.';
comment on column sync.runs.counts is 'Changes by content and action, excluded by reason, quarantined.';
comment on column sync.runs.error is 'What went wrong, without personal values; null where nothing did.';
comment on column sync.runs.figures_of is 'Run whose rows of sync.reconciliation are the figures of this run, too; null where it has rows of its own, or none.';
comment on column sync.runs.personal_data is 'audit.personalData as the pack was written; null before that.';
comment on column sync.runs.excel is 'audit.excel as the pack was written; null before that.';
comment on column sync.runs.suppressions is 'Revision, SHA-256 and counts of the file of suppressions at the end of the run, as in the manifest; null if there was never a suppression.';
comment on column sync.runs.manifest_sha256 is 'SHA-256 of the manifest of the audit pack, to which the next one refers; null without a pack.';
comment on column sync.runs.previous_manifest_sha256 is 'SHA-256 of the manifest of the pack that this run''s pack follows; null where it is the first, and as long as there is none.';
comment on column sync.runs.gap is 'Packs that was beside this database, of which it had no run when this run began: run and SHA-256 of the manifest; the manifest of this run says so. Null where there was none.';
comment on column sync.runs.reissue_due is 'True if its pack still holds someone who was forgotten, and has to be written again.';
comment on column sync.runs.database_bytes is 'Size of the files of the embedded database at the end of the run, in bytes; null on PostgreSQL, and of a run that failed before.';

create table sync.notices (
  integration_id text collate "C" not null,
  run_id uuid not null,
  told_end text not null check (told_end in ('held', 'failed', 'incomplete', 'finished')),
  body text not null,
  made_at timestamptz not null,
  sent_at timestamptz,
  primary key (integration_id, run_id, told_end)
);
comment on table sync.notices is 'How a run ended, for a webhook: at most one row for each end of a run.';
comment on column sync.notices.integration_id is 'Integration.';
comment on column sync.notices.run_id is 'Run.';
comment on column sync.notices.told_end is 'How it ended: held, failed, incomplete or finished.';
comment on column sync.notices.body is 'JSON as it is sent each time, without values of people.';
comment on column sync.notices.made_at is 'When the run ended.';
comment on column sync.notices.sent_at is 'When the webhook took it; null: not yet.';
