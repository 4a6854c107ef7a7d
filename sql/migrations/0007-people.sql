-- Forgotten people and suppressed items.

create table sync.forgotten (
  integration_id text collate "C" not null,
  source text not null,
  source_place text not null,
  source_event_id text not null,
  token text collate "C" not null,
  id_mac bytea not null,
  forgotten_in text collate "C" not null,
  key_check bytea not null,
  sealed_id bytea,
  forgotten_at timestamptz not null,
  forgotten_by text not null,
  primary key (integration_id, token),
  unique (integration_id, id_mac)
);
comment on table sync.forgotten is 'People who were forgotten, each id once: what the next read brings of them is dropped. Nothing here leads back to a person without sealingKey.';
comment on column sync.forgotten.integration_id is 'Integration that keeps the person out; empty for what was imported: each integration of the source event takes it over at its next run.';
comment on column sync.forgotten.source is 'Kind of source in which the person was forgotten.';
comment on column sync.forgotten.source_place is 'Host, port and path of that source.';
comment on column sync.forgotten.source_event_id is 'Its event.';
comment on column sync.forgotten.token is 'Stands in place of the id wherever it stood: forgotten- and random digits.';
comment on column sync.forgotten.id_mac is 'HMAC-SHA256 of forgotten_in and the id under a key made of sealingKey, by which the id is known again.';
comment on column sync.forgotten.forgotten_in is 'Integration in which the person was forgotten, maybe of another database.';
comment on column sync.forgotten.key_check is 'HMAC-SHA256 of a fixed text under that key: another sealingKey is noticed.';
comment on column sync.forgotten.sealed_id is 'The id, AES-256-GCM under sealingKey, as long as the platform has to be told whom to remove; null after that. Personal.';
comment on column sync.forgotten.forgotten_at is 'When.';
comment on column sync.forgotten.forgotten_by is 'User at the operating system who ran forget. Personal.';

create table sync.forgotten_addresses (
  integration_id text collate "C" not null,
  source text not null,
  source_place text not null,
  source_event_id text not null,
  address_mac bytea not null,
  forgotten_in text collate "C" not null,
  key_check bytea not null,
  primary key (integration_id, address_mac)
);
comment on table sync.forgotten_addresses is 'E-mail addresses of people who were forgotten, known again by their HMAC only.';
comment on column sync.forgotten_addresses.integration_id is 'Integration, as in sync.forgotten.';
comment on column sync.forgotten_addresses.source is 'Source type in which the person was forgotten, as in sync.forgotten.';
comment on column sync.forgotten_addresses.source_place is 'Host, port and path of that source.';
comment on column sync.forgotten_addresses.source_event_id is 'Its event.';
comment on column sync.forgotten_addresses.address_mac is 'HMAC-SHA256 of forgotten_in and the address in lower case under a key made of sealingKey.';
comment on column sync.forgotten_addresses.forgotten_in is 'Integration in which the person was forgotten, maybe of another database.';
comment on column sync.forgotten_addresses.key_check is 'As in sync.forgotten.';

create table sync.suppressed (
  source text not null,
  source_place text not null,
  source_event_id text not null,
  content text collate "C" not null check (content in ('agenda', 'speakers', 'attendees')),
  unique_id text collate "C" not null,
  integration_id text collate "C" not null,
  suppressed_at timestamptz not null,
  suppressed_by text not null,
  reason text,
  primary key (integration_id, source, source_place, source_event_id, content, unique_id)
);
comment on table sync.suppressed is 'Items that someone left out by hand (event-sync suppress), known or not, until that is taken back.';
comment on column sync.suppressed.source is 'Kind of source of which it is left out.';
comment on column sync.suppressed.source_place is 'Host, port and path of that source.';
comment on column sync.suppressed.source_event_id is 'Its event.';
comment on column sync.suppressed.content is 'agenda, speakers or attendees.';
comment on column sync.suppressed.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.suppressed.integration_id is 'Integration by which it was left out; empty for what was imported.';
comment on column sync.suppressed.suppressed_at is 'Since when.';
comment on column sync.suppressed.suppressed_by is 'User at the operating system who ran suppress. Personal.';
comment on column sync.suppressed.reason is 'The reason that the operator gave. Personal.';

create table sync.suppression_files (
  integration_id text collate "C" primary key,
  revision bigint not null
);
comment on table sync.suppression_files is 'Revision of the file beside the packs with the suppressions of an integration, by which an older database is noticed.';
comment on column sync.suppression_files.integration_id is 'Integration.';
comment on column sync.suppression_files.revision is 'Number of changes of the file that this database knows.';
