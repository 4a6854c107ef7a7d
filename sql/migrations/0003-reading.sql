-- How far each resource was read, and what proves that it was read completely.

create table sync.readings (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  shape text not null,
  place text,
  elements bigint not null,
  faults bigint not null,
  forgotten bigint not null default 0,
  checksum numeric not null,
  requests integer not null,
  attempts integer not null,
  end_proof text,
  declared bigint,
  saved_at timestamptz not null,
  primary key (integration_id, run_id, resource)
);
comment on table sync.readings is 'How far a run has read each resource, until it is merged: a run that dies before is continued from here.';
comment on column sync.readings.integration_id is 'Integration.';
comment on column sync.readings.run_id is 'Run that reads it.';
comment on column sync.readings.resource is 'Resource, for example users.';
comment on column sync.readings.shape is 'SHA-256 over all that shapes the rows: address, columns, rules of the door, options.';
comment on column sync.readings.place is 'Where the reader of the source goes on, in JSON, with the ids of the first and the last record; null before the first page. Personal.';
comment on column sync.readings.elements is 'Records that the incoming table holds at this point.';
comment on column sync.readings.faults is 'Quarantined records among them.';
comment on column sync.readings.forgotten is 'Records that were dropped among them, since they are of people who were forgotten.';
comment on column sync.readings.checksum is 'Sum over the records, which must be found again.';
comment on column sync.readings.requests is 'Answers that these records were read from.';
comment on column sync.readings.attempts is 'Requests that were sent so far.';
comment on column sync.readings.end_proof is 'How the end was proved; null before the end.';
comment on column sync.readings.declared is 'Count that the source declared; null where it declares none.';
comment on column sync.readings.saved_at is 'When this point was saved; older ones than http.resumeMinutes are not continued.';

create table sync.requests (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  page integer not null,
  url text not null,
  status integer not null,
  bytes bigint not null,
  sha256 text not null,
  elements integer not null,
  answered_at timestamptz not null,
  source_at timestamptz,
  primary key (integration_id, run_id, resource, page)
);
comment on table sync.requests is 'The answers that a resource was read from in a run, in their order.';
comment on column sync.requests.integration_id is 'Integration.';
comment on column sync.requests.run_id is 'Run.';
comment on column sync.requests.resource is 'Resource, for example users.';
comment on column sync.requests.page is 'Place in the order, from 1.';
comment on column sync.requests.url is 'Address that was asked; it carries no secret.';
comment on column sync.requests.status is 'HTTP status of the answer.';
comment on column sync.requests.bytes is 'Bytes of the answer, decompressed.';
comment on column sync.requests.sha256 is 'SHA-256 of these bytes, in hex.';
comment on column sync.requests.elements is 'New elements in it: one that overlaps with the page before does not count.';
comment on column sync.requests.answered_at is 'When the answer had been read.';
comment on column sync.requests.source_at is 'When it was answered by the clock of the source (its Date header); null where the source did not say.';

create table sync.certificates (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  certified boolean not null,
  requests integer not null,
  attempts integer not null,
  bytes bigint not null,
  elements bigint not null,
  distinct_ids bigint,
  declared bigint,
  end_proof text not null,
  detail text not null,
  confirmed boolean,
  checksum numeric not null,
  forgotten bigint not null default 0,
  since text,
  staged_seen bigint,
  staged_unseen bigint,
  staged_checksum numeric,
  missed bigint,
  brought bigint,
  primary key (integration_id, run_id, resource)
);
comment on table sync.certificates is 'The proof that a resource was read completely in a run.';
comment on column sync.certificates.integration_id is 'Integration.';
comment on column sync.certificates.run_id is 'Run.';
comment on column sync.certificates.resource is 'Resource, for example users.';
comment on column sync.certificates.certified is 'True if the end of the resource was proved.';
comment on column sync.certificates.requests is 'Answers that what was read is made of; each is in sync.requests.';
comment on column sync.certificates.attempts is 'Requests that were sent, those that failed or were given up included.';
comment on column sync.certificates.bytes is 'Bytes of the answers, decompressed.';
comment on column sync.certificates.elements is 'Records read.';
comment on column sync.certificates.distinct_ids is 'Distinct ids among them; null until they are staged.';
comment on column sync.certificates.declared is 'Count that the source declared; null where it declares none.';
comment on column sync.certificates.end_proof is 'How the end was proved.';
comment on column sync.certificates.detail is 'Why the resource is not certified, or what it says less than all about; empty where neither is so.';
comment on column sync.certificates.confirmed is 'True if missing records were looked for once more before anything was removed because of them; null if that was not needed.';
comment on column sync.certificates.checksum is 'Sum over the records, which the merge compares with what arrived.';
comment on column sync.certificates.forgotten is 'Records among them that were dropped at the door, since they are of people who were forgotten.';
comment on column sync.certificates.since is 'Time of the source from which changes were asked for; null where all of the resource was read.';
comment on column sync.certificates.staged_seen is 'Current records that a reading of changes saw; null where all of the resource was read.';
comment on column sync.certificates.staged_unseen is 'Current records that a reading of changes did not bring, and that stay; null where all of the resource was read.';
comment on column sync.certificates.staged_checksum is 'Control total over staged_seen; null where all of the resource was read.';
comment on column sync.certificates.missed is 'Records that this full reading had and readings of changes would not have brought; 0 where none was looked for, null where the resource is not read by changes.';
comment on column sync.certificates.brought is 'Records that this full reading found new or changed, and that are not misses; null as missed is.';

create table sync.unstaged (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  ordinal bigint not null,
  source_id text collate "C",
  id text collate "C",
  reason text not null check (reason in ('invalid_record', 'duplicate_id')),
  path text not null,
  detail text not null,
  row_check bigint,
  primary key (integration_id, run_id, resource, ordinal)
);
create index unstaged_by_source_id on sync.unstaged (integration_id, run_id, resource, coalesce(source_id, ''), ordinal);
comment on table sync.unstaged is 'Records of a run that have no row in staging: repeated ids (the later record counts) and quarantined records.';
comment on column sync.unstaged.integration_id is 'Integration.';
comment on column sync.unstaged.run_id is 'Run that read the record.';
comment on column sync.unstaged.resource is 'Resource.';
comment on column sync.unstaged.ordinal is 'Place of the record in source order, from 1.';
comment on column sync.unstaged.source_id is 'Id of the record; null where it has none. Personal.';
comment on column sync.unstaged.id is 'Id that the source gave; null where the e-mail address is in.';
comment on column sync.unstaged.reason is 'duplicate_id, or invalid_record: quarantined.';
comment on column sync.unstaged.path is 'JSON path of the fault; empty for repeated ids.';
comment on column sync.unstaged.detail is 'What is wrong, without personal values.';
comment on column sync.unstaged.row_check is 'First six bytes of the version''s hash, for the control total; null once its person was forgotten.';

create table sync.unseen (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  source_id text collate "C" not null,
  primary key (integration_id, run_id, resource, source_id)
);
comment on table sync.unseen is 'Staged records that a run did not see, but that stay current since the read was not proved complete: nothing is removed on their account.';
comment on column sync.unseen.integration_id is 'Integration.';
comment on column sync.unseen.run_id is 'Run.';
comment on column sync.unseen.resource is 'Resource of the record.';
comment on column sync.unseen.source_id is 'The record. Personal.';

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
comment on column sync.marks.full_certified is 'True if the last full reading was certified.';
comment on column sync.marks.set_aside is 'Records of the last full reading that could not be read or were repeated.';
comment on column sync.marks.undated is 'Records of the last full reading without a readable updated_at.';
comment on column sync.marks.shape is 'Over all that shaped the records of the last full reading: options, fields asked for, record parser.';
comment on column sync.marks.asked_keys is 'Keys that the last full reading asked for.';
comment on column sync.marks.mark is 'Greatest updated_at seen since then, as the source writes it; null where there is none.';
comment on column sync.marks.mark_id is 'Id of a record that carries it; null where there is none, or its person was forgotten. Personal.';
comment on column sync.marks.took_minutes is 'Minutes that the reading took which first saw it.';
comment on column sync.marks.read_by_changes is 'True if changes were read since the last certified full reading.';

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
