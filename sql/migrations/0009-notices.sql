-- What a webhook is told of runs, so that it is told again what it did not get, and not twice what it got.

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
