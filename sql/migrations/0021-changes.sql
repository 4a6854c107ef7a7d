-- Reading what changed: where each resource stands, how a run read it, and what readings of changes did not bring.

alter table sync.certificates add column since text;
comment on column sync.certificates.since is 'Time of the source from which changes were asked for; null where all of the resource was read.';
alter table sync.certificates add column staged_seen bigint;
comment on column sync.certificates.staged_seen is 'Current records that a reading of changes saw; null where all of the resource was read.';
alter table sync.certificates add column staged_unseen bigint;
comment on column sync.certificates.staged_unseen is 'Current records that a reading of changes did not bring, and that stay; null where all of the resource was read.';
alter table sync.certificates add column staged_checksum numeric;
comment on column sync.certificates.staged_checksum is 'Control total over staged_seen; null where all of the resource was read.';
alter table sync.certificates add column missed bigint;
comment on column sync.certificates.missed is 'Records that this full reading had and readings of changes would not have brought; 0 where none was looked for, null where the resource is not read by changes.';
alter table sync.certificates add column brought bigint;
comment on column sync.certificates.brought is 'Records that this full reading found new or changed, and that are no misses; null as missed is.';

create table sync.marks (
  integration_id text collate "C" not null,
  resource text collate "C" not null,
  full_at timestamptz,
  full_certified boolean not null,
  set_aside bigint not null,
  undated bigint not null,
  shape text not null,
  asked_keys text[] not null,
  mark text collate "C",
  mark_id text collate "C",
  took_minutes integer not null,
  read_by_changes boolean not null,
  primary key (integration_id, resource)
);
comment on table sync.marks is 'How far each resource was read by changes, and whether it can be. grain: integration, resource. readers: extract';
comment on column sync.marks.integration_id is 'Integration.';
comment on column sync.marks.resource is 'Resource.';
comment on column sync.marks.full_at is 'When the last certified full reading began, by its first answer; null before the first.';
comment on column sync.marks.full_certified is 'Whether the last full reading was certified.';
comment on column sync.marks.set_aside is 'Records of the last full reading that could not be read or were repeated.';
comment on column sync.marks.undated is 'Records of the last full reading without a readable updated_at.';
comment on column sync.marks.shape is 'Over all that shaped the records of the last full reading: options, fields asked for, record parser.';
comment on column sync.marks.asked_keys is 'Keys that the last full reading asked for.';
comment on column sync.marks.mark is 'Greatest updated_at seen since then, as the source writes it; null where there is none.';
comment on column sync.marks.mark_id is 'Id of a record that carries it; null where there is none, or its person was forgotten. Personal.';
comment on column sync.marks.took_minutes is 'Minutes that the reading took which first saw it.';
comment on column sync.marks.read_by_changes is 'Whether changes were read since the last certified full reading.';

create table sync.misses (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  count bigint not null,
  fields jsonb not null,
  confirmed_in uuid,
  confirmed_at timestamptz,
  confirmed_by text,
  primary key (integration_id, run_id, resource)
);
comment on table sync.misses is 'What full readings had and readings of changes would not have brought; until a run with --changes all is read in full. grain: integration, run, resource. readers: extract';
comment on column sync.misses.integration_id is 'Integration.';
comment on column sync.misses.run_id is 'Run of the full reading.';
comment on column sync.misses.resource is 'Resource.';
comment on column sync.misses.count is 'Records.';
comment on column sync.misses.fields is 'Of how many records each key of the source differs; (new) counts those that were not there.';
comment on column sync.misses.confirmed_in is 'Run with --changes that reads by changes again; null as long as all is read in full.';
comment on column sync.misses.confirmed_at is 'When it was started.';
comment on column sync.misses.confirmed_by is 'User at the operating system who started it. Personal.';
