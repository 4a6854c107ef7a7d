-- Integrations, their runs, and messages about them.

create schema sync;
comment on schema sync is 'State of the product: integrations, runs, certificates, plans and the known items of the platform. Only the product writes here.';

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
  platform_base bigint not null default 0,
  contents_read_back text[] not null default '{}',
  transform_basis bytea
);
create unique index integrations_platform_event on sync.integrations (platform, platform_url, platform_event_id) where owns_platform_event and platform_url <> '';
comment on table sync.integrations is 'One source event that is synced to one platform event. The first run binds the integration to both.';
comment on column sync.integrations.integration_id is 'Id of the integration in event-sync.yaml.';
comment on column sync.integrations.source is 'Type of the source, for example a.';
comment on column sync.integrations.source_url is 'Address of the source, without credentials.';
comment on column sync.integrations.source_place is 'Host, port and path of the source. They are the same for all spellings of its address.';
comment on column sync.integrations.source_event_id is 'Id of the event at the source.';
comment on column sync.integrations.platform is 'Type of the platform, for example http.';
comment on column sync.integrations.platform_url is 'Address of the platform; empty for jsonl.';
comment on column sync.integrations.platform_event_id is 'Id of the event at the platform; empty for jsonl.';
comment on column sync.integrations.owns_platform_event is 'True if runs of this integration may write to the platform event. False if another integration took over the event, or if several integrations wrote to it before the product refused that.';
comment on column sync.integrations.time_zone is 'source.timeZone of the last run; null if it was not configured.';
comment on column sync.integrations.base is 'Version number of what is known of the platform. It grows with each change. A stored plan can be applied only while the base of its run equals this number.';
comment on column sync.integrations.fence is 'Highest fence number of the runs. The platform refuses a run whose number is lower than the highest number that it has seen.';
comment on column sync.integrations.platform_fence is 'Fence number of the last batch that changed the platform, or the number that the platform reported when it was read back; 0 if unknown. A platform that reports a lower number was restored from a backup, or emptied.';
comment on column sync.integrations.platform_base is 'base at the time at which the integration took over its platform event. Runs with a lower base wrote to another event.';
comment on column sync.integrations.contents_read_back is 'Contents whose items were read back from the platform. For these contents it is known which items existed before the first run.';
comment on column sync.integrations.transform_basis is 'SHA-256 of everything besides the staged records that shaped the current decisions and desired items: statements, parameters, suppressions and server version. Null if the next run must make them again.';

create table sync.runs (
  integration_id text collate "C" not null,
  run_id uuid not null,
  command text not null check (command in ('run', 'plan', 'rollback')),
  rollback_to uuid,
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
  silenced_hints text[] not null default '{}',
  time_zone text,
  custom jsonb not null default '{}',
  contents text[] not null,
  base bigint not null,
  fence bigint,
  plan_hash text,
  certified boolean,
  held jsonb,
  pinned jsonb,
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
  has_plan_page boolean not null default false,
  database_bytes bigint,
  primary key (integration_id, run_id),
  constraint runs_rollback_to check ((command = 'rollback') = (rollback_to is not null))
);
create index runs_by_id on sync.runs (run_id);
create index runs_with_plan_page on sync.runs (integration_id) where has_plan_page;
comment on table sync.runs is 'One execution of the product for one integration.';
comment on column sync.runs.integration_id is 'Id of the integration.';
comment on column sync.runs.run_id is 'Id of the run, a UUIDv7: ids grow with time.';
comment on column sync.runs.command is 'Command that started the run: run, plan or rollback.';
comment on column sync.runs.rollback_to is 'For a rollback: the run after which the platform had the items that the rollback brings back; otherwise null.';
comment on column sync.runs.status is 'State of the run. running; planned or held: the plan is stored, and nothing was sent; applying; applied: everything was sent, and the audit pack is not written yet; finished; failed; abandoned: the run died before its plan was stored.';
comment on column sync.runs.started_at is 'Time at which the run started.';
comment on column sync.runs.planned_at is 'Time at which the plan was stored; null before that.';
comment on column sync.runs.applied_at is 'Time at which every planned change had been sent and answered; null before that.';
comment on column sync.runs.finished_at is 'Time at which the run ended, successfully or not. For an applied run: the time at which the product began to write its pack.';
comment on column sync.runs.purged_at is 'Time at which event-sync purge deleted what the run had read, planned and sent; null if the data still exists.';
comment on column sync.runs.product_version is 'Version of event-content-sync that made the run.';
comment on column sync.runs.started_by is 'User of the operating system who started the run. Personal.';
comment on column sync.runs.approved_by is 'User who approved the plan with event-sync apply; null if the plan needed no approval. Personal.';
comment on column sync.runs.approved_at is 'Time at which the plan was approved.';
comment on column sync.runs.config_hash is 'SHA-256 of the effective configuration, without secrets.';
comment on column sync.runs.event_name is 'Name of the integration in event-sync.yaml when the run started; null if none was configured.';
comment on column sync.runs.silenced_hints is 'Hints that the configuration switched off when the run was opened.';
comment on column sync.runs.time_zone is 'source.timeZone when the run started; null if it was not configured.';
comment on column sync.runs.custom is 'Custom fields in the configuration of the run, by content and name.';
comment on column sync.runs.contents is 'Contents that the run plans: agenda, speakers or attendees.';
comment on column sync.runs.base is 'Version number of the known platform state from which the plan starts; see sync.integrations.base.';
comment on column sync.runs.fence is 'Number by which the platform recognises outdated runs; null until the run is applied.';
comment on column sync.runs.plan_hash is 'SHA-256 of the plan; null before the plan is stored.';
comment on column sync.runs.certified is 'True if it was proved for every resource of the run that it was read completely. A rollback reads nothing, so it is true.';
comment on column sync.runs.held is 'Guard that held the plan, with its finding; null if no guard held the plan.';
comment on column sync.runs.pinned is 'Pin of the integration when the plan was stored: since, until and reason. Nothing of the plan was sent then. Null if the integration was not pinned. Personal.';
comment on column sync.runs.counts is 'Figures of the run: changes by content and action, excluded records by reason, quarantined records.';
comment on column sync.runs.error is 'Message of the error, without personal values; null if the run had no error.';
comment on column sync.runs.figures_of is 'Earlier run with the same figures: its rows in sync.reconciliation are the figures of this run, too. Null if this run has its own rows, or none.';
comment on column sync.runs.personal_data is 'Value of audit.personalData when the pack was written: full or masked; null before that.';
comment on column sync.runs.excel is 'Value of audit.excel when the pack was written; null before that.';
comment on column sync.runs.suppressions is 'Revision, SHA-256 and counts of the suppressions file at the end of the run, as in the manifest; null if there was never a suppression.';
comment on column sync.runs.manifest_sha256 is 'SHA-256 of the manifest of the audit pack. The manifest of the next pack refers to it. Null if the run has no pack.';
comment on column sync.runs.previous_manifest_sha256 is 'SHA-256 of the manifest of the previous pack; null for the first pack, and as long as this run has no pack.';
comment on column sync.runs.gap is 'Packs in the folder of the integration whose runs were not in this database when this run began: run and SHA-256 of each manifest. The manifest of this run lists these packs, too. Null if there were none.';
comment on column sync.runs.reissue_due is 'True if the pack of the run still contains a forgotten person and must be written again.';
comment on column sync.runs.has_plan_page is 'True if the folder of the run may have the page of its plan, which waits for a decision.';
comment on column sync.runs.database_bytes is 'Size of the files of the embedded database at the end of the run, in bytes; null on PostgreSQL, and for a run that failed before its end.';

create table sync.notices (
  integration_id text collate "C" not null,
  receiver text collate "C" not null,
  notice_id uuid not null,
  run_id uuid,
  told_end text not null check (told_end in ('held', 'failed', 'incomplete', 'finished')),
  told_state text not null check (told_state in ('begun', 'changed', 'lasting', 'over', 'ended')),
  body text not null,
  made_at timestamptz not null,
  sent_at timestamptz,
  primary key (integration_id, receiver, notice_id)
);
comment on table sync.notices is 'Messages about the ends of runs, each for one receiver: a webhook or the mail. The newest one that was accepted says what its receiver knows of an integration.';
comment on column sync.notices.integration_id is 'Id of the integration.';
comment on column sync.notices.receiver is 'The receiver in event-sync.yaml: the reference to its address, such as env:WEBHOOK_URL, or its host with a keyed hash of the address, or mail.';
comment on column sync.notices.notice_id is 'Id of the message, a UUIDv7: ids grow with time, even if the clock is set back.';
comment on column sync.notices.run_id is 'Id of the run; null if no run could be opened.';
comment on column sync.notices.told_end is 'End of the run: held, failed, incomplete or finished.';
comment on column sync.notices.told_state is 'Reason of the message. begun: the end is new; changed: it follows another one; lasting: it is still the same; over: the integration is no longer in the state that the receiver knows; ended: a run finished.';
comment on column sync.notices.body is 'JSON that the product sends, or subject and text of a mail; the same at each try, without values of people.';
comment on column sync.notices.made_at is 'Time at which the run ended.';
comment on column sync.notices.sent_at is 'Time at which the receiver accepted the message; null before that.';

create table sync.actions (
  integration_id text collate "C" not null,
  action_id uuid not null,
  action text not null check (action in ('approved', 'paused', 'rolled_back', 'resumed', 'suppressed', 'unsuppressed', 'forgotten', 'purged', 'renamed', 'moved', 'rebound', 'key_changed', 'misses_confirmed')),
  made_at timestamptz not null,
  made_by text not null,
  reason text,
  until timestamptz,
  run_id uuid,
  detail text,
  primary key (integration_id, action_id)
);
comment on table sync.actions is 'Actions of operators on integrations, one row each. Rows are only inserted, in the transaction of the action itself. The newest of paused, rolled_back and resumed says if the integration is pinned.';
comment on column sync.actions.integration_id is 'Id of the integration.';
comment on column sync.actions.action_id is 'Id of the action, a UUIDv7: ids grow with time, even if the clock is set back.';
comment on column sync.actions.action is 'Kind of the action. paused and rolled_back: runs send nothing from then on, until resumed. key_changed: a key was used for the first time, or no longer. misses_confirmed: a run with --changes accepted the records that readings by changes had missed.';
comment on column sync.actions.made_at is 'Time of the action.';
comment on column sync.actions.made_by is 'User of the operating system who ran the command; of an approved plan, who approved it. Personal.';
comment on column sync.actions.reason is 'Reason that the operator gave; null if none was given. Personal.';
comment on column sync.actions.until is 'Time at which a pause ends by itself; null if it lasts until event-sync resume, and for other actions.';
comment on column sync.actions.run_id is 'Id of the run to which the action belongs; null if there is none.';
comment on column sync.actions.detail is 'Subject of the action: the hash of a plan, the token of a forgotten person, the fingerprint of a key. It has no value of a person. Null if there is none.';
