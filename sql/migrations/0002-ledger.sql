-- Integrations, their runs, and messages about them.

create schema sync;
comment on schema sync is 'State of the product: integrations, runs, certificates, plans and the known items of the platform. Only the product writes to this schema.';

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
  transform_basis bytea,
  last_pack_run uuid
);
create unique index integrations_platform_event on sync.integrations (platform, platform_url, platform_event_id) where owns_platform_event and platform_url <> '';
comment on table sync.integrations is 'One source event that is synced to one platform event. The first run binds the integration to its source event and its platform event.';
comment on column sync.integrations.integration_id is 'Id of the integration in event-sync.yaml.';
comment on column sync.integrations.source is 'Type of the source, for example a.';
comment on column sync.integrations.source_url is 'Address of the source, without credentials.';
comment on column sync.integrations.source_place is 'Host, port and path of the source. source_place is the same for all spellings of the source''s address.';
comment on column sync.integrations.source_event_id is 'Id of the event at the source.';
comment on column sync.integrations.platform is 'Type of the platform, for example http.';
comment on column sync.integrations.platform_url is 'Address of the platform; empty for jsonl.';
comment on column sync.integrations.platform_event_id is 'Id of the event at the platform; empty for jsonl.';
comment on column sync.integrations.owns_platform_event is 'True if runs of this integration may write to the platform event. owns_platform_event is false if another integration took over the platform event, or if several integrations wrote to this event before the product refused that.';
comment on column sync.integrations.time_zone is 'Value of source.timeZone in the last run; null if no time zone was configured.';
comment on column sync.integrations.base is 'Version number of the known state of the platform. base grows with each change of the known state. A stored plan can be applied only if the base of its run equals this number.';
comment on column sync.integrations.fence is 'Highest fence number of all runs. The platform refuses a run if it has already seen a higher fence number.';
comment on column sync.integrations.platform_fence is 'Latest fence number that the platform is known to have; 0 if unknown. platform_fence comes from the last batch that changed the platform, or from reading the platform back. If the platform reports a lower number, it was restored from a backup or emptied.';
comment on column sync.integrations.platform_base is 'Value of base when the integration took over its platform event. Runs with a lower base wrote to another platform event.';
comment on column sync.integrations.contents_read_back is 'Contents whose items were read back from the platform. If a content is in this array, the product knows which of its items existed before the first run.';
comment on column sync.integrations.transform_basis is 'SHA-256 of the inputs of the current decisions and desired items, without the staged records: statements, parameters, suppressions and server version. transform_basis is null if the next run must compute decisions and desired items again.';
comment on column sync.integrations.last_pack_run is 'Run that wrote the last pack of the integration. The next pack names the manifest of this pack. last_pack_run is null before the first pack.';

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
  pack_purged_at timestamptz,
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
  answers_of uuid,
  settled_base bigint,
  personal_data text check (personal_data in ('full', 'masked')),
  excel boolean,
  suppressions jsonb,
  manifest_sha256 text,
  previous_manifest_sha256 text,
  gap jsonb,
  reissue_due boolean not null default false,
  has_plan_page boolean not null default false,
  database_bytes bigint,
  next_due_at timestamptz,
  max_quarantined bigint not null default 0,
  primary key (integration_id, run_id),
  constraint runs_rollback_to check ((command = 'rollback') = (rollback_to is not null))
);
create index runs_by_id on sync.runs (run_id);
create index runs_with_plan_page on sync.runs (integration_id) where has_plan_page;
create index runs_finished on sync.runs (integration_id, run_id) where status = 'finished';
-- Without this index, `event-sync runs --failed` reads all runs of all integrations.
create index runs_not_finished on sync.runs (integration_id, run_id) where status <> 'finished';
comment on table sync.runs is 'One execution of the product for one integration.';
comment on column sync.runs.integration_id is 'Id of the integration.';
comment on column sync.runs.run_id is 'Id of the run, a UUIDv7: later runs have greater ids.';
comment on column sync.runs.command is 'Command that started the run: run, plan or rollback.';
comment on column sync.runs.rollback_to is 'Run whose state a rollback restores: after this run, the platform had the items of the rollback. rollback_to is null for all other runs.';
comment on column sync.runs.status is 'State of the run. running: it reads and plans; planned or held: its plan is stored, and nothing was sent; applying: it sends its plan; applied: everything was sent, and the audit pack is not written yet; finished; failed; abandoned: the run died before its plan was stored.';
comment on column sync.runs.started_at is 'Time at which the run started.';
comment on column sync.runs.planned_at is 'Time at which the plan was stored; null before that time.';
comment on column sync.runs.applied_at is 'Time at which the platform had answered every planned change; null before that time.';
comment on column sync.runs.finished_at is 'Time at which the run ended, successfully or not. While the state of the run is applied, this is the time at which the product began to write the pack.';
comment on column sync.runs.purged_at is 'Time at which event-sync purge deleted the data that the run had read, planned and sent. purged_at is null if this data still exists.';
comment on column sync.runs.pack_purged_at is 'Time at which a purge deleted the files of the pack. pack_purged_at is null if the pack was not purged.';
comment on column sync.runs.product_version is 'Version of event-content-sync that made the run.';
comment on column sync.runs.started_by is 'User of the operating system who started the run. Personal.';
comment on column sync.runs.approved_by is 'User who approved the plan with event-sync apply; null if the plan needed no approval. Personal.';
comment on column sync.runs.approved_at is 'Time at which the plan was approved.';
comment on column sync.runs.config_hash is 'SHA-256 of the effective configuration in sync.configurations.';
comment on column sync.runs.event_name is 'Name of the integration in event-sync.yaml when the run started; null if no name was configured.';
comment on column sync.runs.silenced_hints is 'Hints that the configuration switched off when the run was opened.';
comment on column sync.runs.time_zone is 'Value of source.timeZone when the run started; null if no time zone was configured.';
comment on column sync.runs.custom is 'Custom fields in the configuration of the run, by content and name.';
comment on column sync.runs.contents is 'Contents that the run plans: agenda, speakers or attendees.';
comment on column sync.runs.base is 'Version number of the known platform state from which the plan starts; see sync.integrations.base.';
comment on column sync.runs.fence is 'Fence number, by which the platform recognises outdated runs. fence is null before the run sends its first batch.';
comment on column sync.runs.plan_hash is 'SHA-256 of the plan; null before the plan is stored.';
comment on column sync.runs.certified is 'True if it is proved that the run read every resource completely. certified is also true for a rollback, which reads no resource.';
comment on column sync.runs.held is 'Guard that held the plan, with its finding; null if no guard held the plan.';
comment on column sync.runs.pinned is 'Pin of the integration when the plan was stored: since, until and reason. While an integration is pinned, its runs send nothing. pinned is null if the integration was not pinned. Personal.';
comment on column sync.runs.counts is 'Figures of the run: changes by content and action, excluded records by reason, quarantined records.';
comment on column sync.runs.error is 'Message of the error, without personal values; null if the run had no error.';
comment on column sync.runs.figures_of is 'Earlier run with the same figures. The rows of the earlier run in sync.reconciliation are also the figures of this run. figures_of is null if this run has its own rows, or no rows.';
comment on column sync.runs.answers_of is 'Earlier run that read the same answers, apart from their times. The rows of the earlier run in sync.requests are also the answers of this run. answers_of is null if this run has its own rows, or has not ended yet.';
comment on column sync.runs.settled_base is 'Version number of the known platform state at the end of the run, if the platform then had the desired items and no others; see sync.integrations.base. settled_base is null if a change was rejected or withheld, if items are kept, and if the run did not reach its end. While the number is the same, the next run need not compare the items.';
comment on column sync.runs.personal_data is 'Value of audit.personalData when the pack was written: full or masked. personal_data is null before the pack is written.';
comment on column sync.runs.excel is 'Value of audit.excel when the pack was written; null before the pack is written.';
comment on column sync.runs.suppressions is 'Revision, SHA-256 and counts of the suppressions file at the end of the run, as in the manifest; null if there was never a suppression.';
comment on column sync.runs.manifest_sha256 is 'SHA-256 of the manifest of the audit pack. The manifest of the next pack contains this hash. manifest_sha256 is null if the run has no pack.';
comment on column sync.runs.previous_manifest_sha256 is 'SHA-256 of the manifest of the previous pack; null for the first pack, and while this run has no pack.';
comment on column sync.runs.gap is 'Packs in the output folder of the integration whose runs were not in this database when this run began. The column has the run and the SHA-256 of the manifest of each pack. The manifest of this run lists the same packs. gap is null if there were no such packs.';
comment on column sync.runs.reissue_due is 'True if the pack of the run still contains a forgotten person and must be written again.';
comment on column sync.runs.has_plan_page is 'True if the folder of the run may have a page of its plan, because the plan waits for a decision.';
comment on column sync.runs.database_bytes is 'Size of the files of the embedded database at the end of the run, in bytes; null on PostgreSQL, and for a run that failed before its end.';
comment on column sync.runs.next_due_at is 'Time at which the next scheduled run was due, by the schedule when the run started; null if the integration had no schedule.';
comment on column sync.runs.max_quarantined is 'Value of guards.maxQuarantined when the run started.';

create table sync.configurations (
  integration_id text collate "C" not null,
  config_hash text collate "C" not null,
  configuration text not null,
  bound jsonb not null,
  primary key (integration_id, config_hash)
);
comment on table sync.configurations is 'Configurations that runs had, each once. Evidence for auditors contains them.';
comment on column sync.configurations.integration_id is 'Id of the integration.';
comment on column sync.configurations.config_hash is 'SHA-256 of the configuration, in hex; see config_hash in sync.runs.';
comment on column sync.configurations.configuration is 'Effective configuration as JSON, without secrets. Values with which rules of exclude compare fields of people are replaced by (hidden).';
comment on column sync.configurations.bound is 'Source and platform to which the integration was bound when the configuration was first used. A pack that is written again after a rebind still has them.';

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
comment on table sync.notices is 'Messages about how runs ended. Each message has one receiver: a webhook or the mail. The newest accepted message shows what its receiver knows about an integration.';
comment on column sync.notices.integration_id is 'Id of the integration.';
comment on column sync.notices.receiver is 'Receiver of the message: mail, a reference to a webhook in event-sync.yaml, such as env:WEBHOOK_URL, or the host of a webhook with a keyed hash of its address.';
comment on column sync.notices.notice_id is 'Id of the message, a UUIDv7. Later messages have greater ids, even if the clock is set back.';
comment on column sync.notices.run_id is 'Id of the run; null if no run could be opened.';
comment on column sync.notices.told_end is 'Result of the run: held, failed, incomplete or finished.';
comment on column sync.notices.told_state is 'Reason for the message. begun: the end of the run is new; changed: an earlier run ended in another way; lasting: the runs still end in the same way; over: the state that the receiver knows is over; ended: a run finished.';
comment on column sync.notices.body is 'JSON that the product sends, or subject and text of a mail. The body of a message is the same at each try, and contains no value of a person.';
comment on column sync.notices.made_at is 'Time at which the run ended.';
comment on column sync.notices.sent_at is 'Time at which the receiver accepted the message; null before that time.';

create table sync.actions (
  integration_id text collate "C" not null,
  action_id uuid not null,
  action text not null check (action in ('approved', 'paused', 'rolled_back', 'resumed', 'suppressed', 'unsuppressed', 'forgotten', 'purged', 'renamed', 'moved', 'rebound', 'key_added', 'key_changed', 'key_removed', 'misses_confirmed')),
  made_at timestamptz not null,
  made_by text not null,
  reason text,
  until timestamptz,
  run_id uuid,
  detail text,
  primary key (integration_id, action_id)
);
comment on table sync.actions is 'Actions of operators on integrations, one row for each action. The product only inserts rows, in the transaction of the action itself. An integration is pinned (its runs send nothing) if the newest action of the kinds paused, rolled_back and resumed is not resumed.';
comment on column sync.actions.integration_id is 'Id of the integration.';
comment on column sync.actions.action_id is 'Id of the action, a UUIDv7. Later actions have greater ids, even if the clock is set back.';
comment on column sync.actions.action is 'Kind of the action. paused and rolled_back: runs send nothing until an action resumed. key_added, key_changed and key_removed: a run or forget used a key of the configuration for the first time, used another one than before, or used none any more. misses_confirmed: a run with --changes accepted the records that readings by changes had missed.';
comment on column sync.actions.made_at is 'Time of the action.';
comment on column sync.actions.made_by is 'User of the operating system who ran the command or, for an approved plan, who approved the plan. Personal.';
comment on column sync.actions.reason is 'Reason that the operator gave; null if the operator gave no reason. Personal.';
comment on column sync.actions.until is 'Time at which a pause ends without event-sync resume; null if the pause has no such time, and for other actions.';
comment on column sync.actions.run_id is 'Id of the run to which the action belongs; null if the action belongs to no run.';
comment on column sync.actions.detail is 'Subject of the action: the hash of a plan, the token of a forgotten person, the former id of a renamed integration, or the fingerprint of a key. detail contains no personal data, and is null if there is no subject.';
