-- Suppressions survive another spelling of the source's address, and the loss of the database.

alter table sync.integrations add column source_place text not null default '';
comment on column sync.integrations.source_place is 'Host, port and path of the source, the same for all spellings of its address.';
alter table sync.suppressed rename column source_url to source_place;
alter table sync.forgotten rename column source_url to source_place;
alter table sync.forgotten_addresses rename column source_url to source_place;

update sync.integrations set source_place = regexp_replace(regexp_replace(source_url, '^https?://', '', 'i'), '/+$', '');
update sync.suppressed set source_place = regexp_replace(regexp_replace(source_place, '^https?://', '', 'i'), '/+$', '');
update sync.forgotten set source_place = regexp_replace(regexp_replace(source_place, '^https?://', '', 'i'), '/+$', '');
update sync.forgotten_addresses set source_place = regexp_replace(regexp_replace(source_place, '^https?://', '', 'i'), '/+$', '');

comment on column sync.suppressed.source_place is 'Host, port and path of that source.';
comment on column sync.forgotten.source_place is 'Host, port and path of that source.';
comment on column sync.forgotten_addresses.source_place is 'Host, port and path of that source.';

alter table sync.suppressed add column reason text;
comment on column sync.suppressed.reason is 'The reason that the operator gave. Personal.';

create table sync.suppression_files (
  integration_id text collate "C" not null primary key,
  revision bigint not null
);
comment on table sync.suppression_files is 'Revision of the file beside the packs with the suppressions of an integration, by which an older database is noticed.';
comment on column sync.suppression_files.integration_id is 'Integration.';
comment on column sync.suppression_files.revision is 'Number of changes of the file that this database knows.';

alter table sync.runs add column suppressions jsonb;
comment on column sync.runs.suppressions is 'Revision, SHA-256 and counts of the file of suppressions at the end of the run, as in the manifest; null if there was never a suppression.';
