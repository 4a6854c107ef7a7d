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
comment on table sync.readings is 'Progress of a run in reading each resource, until the resource is merged into staging. If the run dies, the next run continues from this progress.';
comment on column sync.readings.integration_id is 'Id of the integration.';
comment on column sync.readings.run_id is 'Run that reads the resource.';
comment on column sync.readings.resource is 'Name of the resource, for example users.';
comment on column sync.readings.shape is 'SHA-256 of everything that affects the rows: address, columns, record parser, options. If the hash has changed, the next run does not continue this reading.';
comment on column sync.readings.place is 'Cursor at which the reading continues, in JSON, with the ids of the first and the last record; null before the first page. Personal.';
comment on column sync.readings.elements is 'Number of records in the incoming table when this progress was saved.';
comment on column sync.readings.faults is 'Number of quarantined records in the incoming table when this progress was saved.';
comment on column sync.readings.forgotten is 'Number of records that were dropped because they belong to forgotten people.';
comment on column sync.readings.checksum is 'Control total: the sum of row_check over all records that were read. A run that continues must find rows with the same total.';
comment on column sync.readings.requests is 'Number of answers that contained the records read so far.';
comment on column sync.readings.attempts is 'Number of requests that were sent so far.';
comment on column sync.readings.end_proof is 'How the end of the resource was proved; null before the end was reached.';
comment on column sync.readings.declared is 'Number of records that the source declared; null if the source declared no number.';
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
comment on table sync.requests is 'Answers of the source, from which a run read its resources. If a run reads the same answers as an earlier run, its rows are deleted when it ends, and answers_of in sync.runs names the earlier run.';
comment on column sync.requests.integration_id is 'Id of the integration.';
comment on column sync.requests.run_id is 'Id of the run.';
comment on column sync.requests.resource is 'Name of the resource, for example users.';
comment on column sync.requests.page is 'Position of the answer in the reading, from 1.';
comment on column sync.requests.url is 'Address of the request, without secrets.';
comment on column sync.requests.status is 'HTTP status of the answer.';
comment on column sync.requests.bytes is 'Size of the answer in bytes, decompressed.';
comment on column sync.requests.sha256 is 'SHA-256 of the decompressed bytes, in hex.';
comment on column sync.requests.elements is 'Number of new elements in the answer. Elements that the previous page also contained do not count.';
comment on column sync.requests.answered_at is 'Time at which the product had read the whole answer.';
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
  first_answer_at timestamptz,
  last_answer_at timestamptz,
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
comment on table sync.certificates is 'Proof that a run read a resource completely, or the reason why there is no proof.';
comment on column sync.certificates.integration_id is 'Id of the integration.';
comment on column sync.certificates.run_id is 'Id of the run.';
comment on column sync.certificates.resource is 'Name of the resource, for example users.';
comment on column sync.certificates.certified is 'True if the end of the resource was proved.';
comment on column sync.certificates.requests is 'Number of answers from which the resource was read; each answer is in sync.requests.';
comment on column sync.certificates.attempts is 'Number of requests that were sent, including failed and abandoned requests.';
comment on column sync.certificates.bytes is 'Total size of the answers in bytes, decompressed.';
comment on column sync.certificates.elements is 'Number of records that were read.';
comment on column sync.certificates.distinct_ids is 'Number of distinct ids among the records; null before the records are staged.';
comment on column sync.certificates.declared is 'Number of records that the source declared; null if the source declared no number.';
comment on column sync.certificates.end_proof is 'How the end of the resource was proved.';
comment on column sync.certificates.detail is 'Reason why the resource is not certified or was read in an unusual way, or time from which changes were read. detail is empty if there is nothing to report.';
comment on column sync.certificates.confirmed is 'True if the run looked for missing records a second time before it removed their items. confirmed is false if the second reading proved nothing. confirmed is null if no second reading was needed.';
comment on column sync.certificates.first_answer_at is 'Time of the first of these answers. A run that continued an earlier one may have used answers that came before it began.';
comment on column sync.certificates.last_answer_at is 'Time of the last of these answers.';
comment on column sync.certificates.checksum is 'Control total: the sum of row_check over all records that were read. The merge into staging compares this total with the rows in the database.';
comment on column sync.certificates.forgotten is 'Number of records that the reading dropped, because they belong to forgotten people.';
comment on column sync.certificates.since is 'Time, by the clock of the source, from which the run requested changes; null after a full reading.';
comment on column sync.certificates.staged_seen is 'Number of current records that the reading of changes returned; null after a full reading.';
comment on column sync.certificates.staged_unseen is 'Number of records that the reading of changes did not return and that stay current; null after a full reading.';
comment on column sync.certificates.staged_checksum is 'Control total of the records that staged_seen counts; null after a full reading.';
comment on column sync.certificates.missed is 'Number of records of this full reading that readings of changes would have missed; 0 if the run did not look for missed records; null if the resource is not read by changes.';
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
comment on column sync.unstaged.source_id is 'Id of the record; null if the record has no id. Personal.';
comment on column sync.unstaged.id is 'Id that the source gave; null if the e-mail address is used as the id.';
comment on column sync.unstaged.reason is 'Reason why the record is not staged: duplicate_id if the id is repeated, or invalid_record if the record is quarantined.';
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
comment on table sync.unseen is 'Staged records that a run did not read but that stay current, because it is not proved that they are gone. Either the reading was not proved complete, or an unreadable record may be one of these records. The run removes no item because of these records.';
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
comment on table sync.marks is 'How far the product has read the changes of each resource. The columns of this table decide if the next reading of a resource can request only changes.';
comment on column sync.marks.integration_id is 'Id of the integration.';
comment on column sync.marks.resource is 'Name of the resource.';
comment on column sync.marks.full_at is 'Time of the first answer of the last certified full reading; null before the first such reading.';
comment on column sync.marks.full_certified is 'True if the last full reading was certified.';
comment on column sync.marks.set_aside is 'Number of records of the last full reading that were quarantined or repeated.';
comment on column sync.marks.undated is 'Number of records of the last full reading without a readable updated_at.';
comment on column sync.marks.shape is 'SHA-256 of everything that affected the records of the last full reading: options, requested fields, record parser.';
comment on column sync.marks.asked_keys is 'Record keys that the last full reading requested. If the last full reading was not certified, the list contains only keys that the previous full reading also requested.';
comment on column sync.marks.mark is 'Latest updated_at of all records that were read since the last certified full reading began, as the source writes it. mark is null if no record has an updated_at.';
comment on column sync.marks.mark_id is 'Id of a record whose updated_at is the value of the column mark. mark_id is null if there is no such record, or if its person was forgotten. Personal.';
comment on column sync.marks.took_minutes is 'Duration in minutes of the reading that first read the value of the column mark.';
comment on column sync.marks.read_by_changes is 'True if the product read changes after the last certified full reading.';

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
comment on table sync.misses is 'Number of records that a full reading found, but that readings of changes would have missed. After a full reading with missed records, every run reads all records until someone starts a run with --changes.';
comment on column sync.misses.integration_id is 'Id of the integration.';
comment on column sync.misses.run_id is 'Run that made the full reading.';
comment on column sync.misses.resource is 'Name of the resource.';
comment on column sync.misses.count is 'Number of missed records.';
comment on column sync.misses.fields is 'Number of missed records in which the value of a key differs, for each key of the source. The entry (new) counts records that were new.';
comment on column sync.misses.confirmed_in is 'Run that someone started with --changes, so that later runs read only changes again. confirmed_in is null while every run reads all records.';
comment on column sync.misses.confirmed_at is 'Time at which the run with --changes was started.';
comment on column sync.misses.confirmed_by is 'User of the operating system who started the run with --changes. Personal.';
