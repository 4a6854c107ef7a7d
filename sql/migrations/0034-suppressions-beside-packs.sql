-- Whoever is kept out stays out under another spelling of the source's address, and when the database is lost.

alter table sync.integrations add column source_place text not null default '';
comment on column sync.integrations.source_place is 'Where the source is, however its address is spelled: host, port and path.';
alter table sync.suppressed rename column source_url to source_place;
alter table sync.forgotten rename column source_url to source_place;
alter table sync.forgotten_addresses rename column source_url to source_place;

update sync.integrations set source_place = regexp_replace(regexp_replace(source_url, '^https?://', '', 'i'), '/+$', '');
update sync.suppressed set source_place = regexp_replace(regexp_replace(source_place, '^https?://', '', 'i'), '/+$', '');
update sync.forgotten set source_place = regexp_replace(regexp_replace(source_place, '^https?://', '', 'i'), '/+$', '');
update sync.forgotten_addresses set source_place = regexp_replace(regexp_replace(source_place, '^https?://', '', 'i'), '/+$', '');

comment on column sync.suppressed.source_place is 'Where that source is: host, port and path.';
comment on column sync.forgotten.source_place is 'Where that source is: host, port and path.';
comment on column sync.forgotten_addresses.source_place is 'Where that source is: host, port and path.';

alter table sync.suppressed add column reason text;
comment on column sync.suppressed.reason is 'Why, as whoever left it out gave it. Personal.';

create table sync.suppression_files (
  integration_id text collate "C" not null primary key,
  revision bigint not null
);
comment on table sync.suppression_files is 'The file beside the packs of an integration that says who is kept out: by it a database that knows less is noticed.';
comment on column sync.suppression_files.integration_id is 'Integration.';
comment on column sync.suppression_files.revision is 'How often the file changed, as this database knows.';

alter table sync.runs add column suppressions jsonb;
comment on column sync.runs.suppressions is 'Revision and SHA-256 of that file as the run ended, and how many it names, as in the manifest; null where nobody is kept out.';
