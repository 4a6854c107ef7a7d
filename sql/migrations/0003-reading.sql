-- Reading progress of each resource, and the proof that it was read completely.

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
comment on table sync.readings is 'Reading progress of each resource in a run, until it is merged into staging. If the run dies, the next run continues from here.';
comment on column sync.readings.integration_id is 'Id of the integration.';
comment on column sync.readings.run_id is 'Run that reads the resource.';
comment on column sync.readings.resource is 'Name of the resource, for example users.';
comment on column sync.readings.shape is 'SHA-256 of everything that affects the rows: address, columns, record parser, options. A reading with another hash is not continued.';
comment on column sync.readings.place is 'Cursor at which the reading continues, in JSON, with the ids of the first and the last record; null before the first page. Personal.';
comment on column sync.readings.elements is 'Number of records in the incoming table at this point.';
comment on column sync.readings.faults is 'Number of quarantined records among them.';
comment on column sync.readings.forgotten is 'Number of records that were dropped because they belong to forgotten people.';
comment on column sync.readings.checksum is 'Control total: the sum of row_check over the records. The rows that are found later must have the same sum.';
comment on column sync.readings.requests is 'Number of answers from which these records were read.';
comment on column sync.readings.attempts is 'Number of requests that were sent so far.';
comment on column sync.readings.end_proof is 'How the end of the resource was proved; null before the end.';
comment on column sync.readings.declared is 'Number of records that the source declared; null if it declared none.';
comment on column sync.readings.saved_at is 'Time at which this progress was saved. A later run continues only from progress that is at most http.resumeMinutes old.';

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
comment on table sync.requests is 'Answers from which each resource was read in a run, in their order.';
comment on column sync.requests.integration_id is 'Id of the integration.';
comment on column sync.requests.run_id is 'Id of the run.';
comment on column sync.requests.resource is 'Name of the resource, for example users.';
comment on column sync.requests.page is 'Position of the answer in the reading, from 1.';
comment on column sync.requests.url is 'Address of the request, without secrets.';
comment on column sync.requests.status is 'HTTP status of the answer.';
comment on column sync.requests.bytes is 'Size of the answer in bytes, decompressed.';
comment on column sync.requests.sha256 is 'SHA-256 of the decompressed bytes, in hex.';
comment on column sync.requests.elements is 'Number of new elements in the answer. An element in which the answer overlaps with the previous page does not count.';
comment on column sync.requests.answered_at is 'Time at which the answer had been read.';
comment on column sync.requests.source_at is 'Time of the answer by the clock of the source (its Date header); null if the source did not state a time.';

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
comment on table sync.certificates is 'Proof that a resource was read completely in a run, or the reason why this is not proved.';
comment on column sync.certificates.integration_id is 'Id of the integration.';
comment on column sync.certificates.run_id is 'Id of the run.';
comment on column sync.certificates.resource is 'Name of the resource, for example users.';
comment on column sync.certificates.certified is 'True if the end of the resource was proved.';
comment on column sync.certificates.requests is 'Number of answers from which the resource was read; each answer is in sync.requests.';
comment on column sync.certificates.attempts is 'Number of requests that were sent, including those that failed or were given up.';
comment on column sync.certificates.bytes is 'Total size of the answers in bytes, decompressed.';
comment on column sync.certificates.elements is 'Number of records that were read.';
comment on column sync.certificates.distinct_ids is 'Number of distinct ids among the records; null before they are staged.';
comment on column sync.certificates.declared is 'Number of records that the source declared; null if it declared none.';
comment on column sync.certificates.end_proof is 'How the end of the resource was proved.';
comment on column sync.certificates.detail is 'Why the resource is not certified, or why it was read in an unusual way, or from which time on changes were read; empty if nothing is to be reported.';
comment on column sync.certificates.confirmed is 'True if missing records were looked for a second time before anything was removed because of them; false if the second reading proved nothing; null if it was not needed.';
comment on column sync.certificates.checksum is 'Control total: the sum of row_check over the records. The merge compares it with the rows that arrived.';
comment on column sync.certificates.forgotten is 'Number of records that were dropped while they were read, because they belong to forgotten people.';
comment on column sync.certificates.since is 'Time of the source from which changes were requested; null after a full reading.';
comment on column sync.certificates.staged_seen is 'Number of current records that a reading of changes returned; null after a full reading.';
comment on column sync.certificates.staged_unseen is 'Number of current records that a reading of changes did not return, and that stay; null after a full reading.';
comment on column sync.certificates.staged_checksum is 'Control total of the records in staged_seen; null after a full reading.';
comment on column sync.certificates.missed is 'Number of records of this full reading that readings of changes would have missed; 0 if nobody looked for them; null if the resource is not read by changes.';
comment on column sync.certificates.brought is 'Number of new or changed records of this full reading that readings of changes would have returned; null if the resource is not read by changes.';

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
comment on table sync.unstaged is 'Records of a run that have no row in staging: quarantined records, and records with a repeated id (the last record with the id is staged).';
comment on column sync.unstaged.integration_id is 'Id of the integration.';
comment on column sync.unstaged.run_id is 'Run that read the record.';
comment on column sync.unstaged.resource is 'Name of the resource.';
comment on column sync.unstaged.ordinal is 'Position of the record in the order of the source, from 1.';
comment on column sync.unstaged.source_id is 'Id of the record; null if it has none. Personal.';
comment on column sync.unstaged.id is 'Id that the source gave; null if the e-mail address is used as the id.';
comment on column sync.unstaged.reason is 'duplicate_id: the id is repeated. invalid_record: the record is quarantined.';
comment on column sync.unstaged.path is 'JSON path of the fault; empty for a repeated id.';
comment on column sync.unstaged.detail is 'Description of the fault, without personal values; empty for a repeated id.';
comment on column sync.unstaged.row_check is 'First six bytes of the version hash, for the control total; null after the person was forgotten.';

create table sync.unseen (
  integration_id text collate "C" not null,
  run_id uuid not null,
  resource text collate "C" not null,
  source_id text collate "C" not null,
  primary key (integration_id, run_id, resource, source_id)
);
comment on table sync.unseen is 'Staged records that a run did not see and that stay current, because it is not proved that they are gone: the reading was not proved complete, or an unreadable record may be one of them. The run removes nothing because of these records.';
comment on column sync.unseen.integration_id is 'Id of the integration.';
comment on column sync.unseen.run_id is 'Id of the run.';
comment on column sync.unseen.resource is 'Name of the resource of the record.';
comment on column sync.unseen.source_id is 'Id of the record. Personal.';

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
comment on table sync.marks is 'How far each resource was read by changes, and what decides if its next reading can ask for changes only.';
comment on column sync.marks.integration_id is 'Id of the integration.';
comment on column sync.marks.resource is 'Name of the resource.';
comment on column sync.marks.full_at is 'Time of the first answer of the last certified full reading; null before the first such reading.';
comment on column sync.marks.full_certified is 'True if the last full reading was certified.';
comment on column sync.marks.set_aside is 'Number of records of the last full reading that were quarantined or repeated.';
comment on column sync.marks.undated is 'Number of records of the last full reading without a readable updated_at.';
comment on column sync.marks.shape is 'SHA-256 of everything that shaped the records of the last full reading: options, requested fields, record parser.';
comment on column sync.marks.asked_keys is 'Record keys that the last full reading requested. If that reading was not certified: only the keys that the reading before it requested, too.';
comment on column sync.marks.mark is 'Latest updated_at that was seen since the last certified full reading began, as the source writes it; null if there is none.';
comment on column sync.marks.mark_id is 'Id of a record with that updated_at; null if there is none, or if its person was forgotten. Personal.';
comment on column sync.marks.took_minutes is 'Duration in minutes of the reading that first saw the mark.';
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
comment on table sync.misses is 'Records that full readings found and that readings of changes would have missed. After such a finding, every run reads all records until someone starts a run with --changes.';
comment on column sync.misses.integration_id is 'Id of the integration.';
comment on column sync.misses.run_id is 'Run of the full reading.';
comment on column sync.misses.resource is 'Name of the resource.';
comment on column sync.misses.count is 'Number of missed records.';
comment on column sync.misses.fields is 'Number of missed records in which each key of the source differs, by key; (new) counts the records that were new.';
comment on column sync.misses.confirmed_in is 'Run with --changes, from which on changes are read again; null while every run reads all records.';
comment on column sync.misses.confirmed_at is 'Time at which that run was started.';
comment on column sync.misses.confirmed_by is 'User of the operating system who started that run. Personal.';
