-- People who were forgotten, and items that were left out by hand.

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
comment on table sync.forgotten is 'Forgotten people, one row for each id. At every reading, the product drops the records of these people. Without sealingKey, nobody can identify a person from this table.';
comment on column sync.forgotten.integration_id is 'Integration that does not sync the person. integration_id is empty for imported rows: at its next run, each integration of the source event makes its own copy of these rows.';
comment on column sync.forgotten.source is 'Type of the source in which the person was forgotten.';
comment on column sync.forgotten.source_place is 'Host, port and path of the source in which the person was forgotten.';
comment on column sync.forgotten.source_event_id is 'Id of the event at the source in which the person was forgotten.';
comment on column sync.forgotten.token is 'Text that replaces the id of the person everywhere: `forgotten-` and random digits.';
comment on column sync.forgotten.id_mac is 'HMAC-SHA256 of forgotten_in and the id, under a key that is derived from sealingKey. The product recognises the id by this HMAC.';
comment on column sync.forgotten.forgotten_in is 'Integration in which the person was forgotten, perhaps in another database.';
comment on column sync.forgotten.key_check is 'HMAC-SHA256 of a fixed text under the key of id_mac. key_check shows if sealingKey was replaced by another key.';
comment on column sync.forgotten.sealed_id is 'Id of the person, encrypted with AES-256-GCM under sealingKey. The product needs this id to remove the person from the platform. sealed_id is null after the removal. Personal.';
comment on column sync.forgotten.forgotten_at is 'Time at which the person was forgotten.';
comment on column sync.forgotten.forgotten_by is 'User of the operating system who ran event-sync forget. Personal.';

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
comment on table sync.forgotten_addresses is 'E-mail addresses of forgotten people. The product stores only an HMAC of each address, by which it recognises the address.';
comment on column sync.forgotten_addresses.integration_id is 'Integration that does not sync the person, as in sync.forgotten.';
comment on column sync.forgotten_addresses.source is 'Type of the source in which the person was forgotten.';
comment on column sync.forgotten_addresses.source_place is 'Host, port and path of the source in which the person was forgotten.';
comment on column sync.forgotten_addresses.source_event_id is 'Id of the event at the source in which the person was forgotten.';
comment on column sync.forgotten_addresses.address_mac is 'HMAC-SHA256 of forgotten_in and the address in lower case, under a key that is derived from sealingKey.';
comment on column sync.forgotten_addresses.forgotten_in is 'Integration in which the person was forgotten, perhaps in another database.';
comment on column sync.forgotten_addresses.key_check is 'HMAC-SHA256 of a fixed text under the key of address_mac, as in sync.forgotten.';

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
comment on table sync.suppressed is 'Items that a user leaves out with event-sync suppress, until a user runs event-sync unsuppress. The items need not exist.';
comment on column sync.suppressed.source is 'Type of the source of the item.';
comment on column sync.suppressed.source_place is 'Host, port and path of the source of the item.';
comment on column sync.suppressed.source_event_id is 'Id of the event at the source of the item.';
comment on column sync.suppressed.content is 'Content: agenda, speakers or attendees.';
comment on column sync.suppressed.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.suppressed.integration_id is 'Integration in which the item was left out; empty for imported rows.';
comment on column sync.suppressed.suppressed_at is 'Time from which runs leave out the item.';
comment on column sync.suppressed.suppressed_by is 'User of the operating system who ran event-sync suppress. Personal.';
comment on column sync.suppressed.reason is 'Reason that the user gave. Personal.';

create table sync.suppression_files (
  integration_id text collate "C" primary key,
  revision bigint not null
);
comment on table sync.suppression_files is 'Revision of the suppressions file of each integration. The suppressions file is in the folder of the packs. If the suppressions file has a higher revision, this database is out of date.';
comment on column sync.suppression_files.integration_id is 'Id of the integration.';
comment on column sync.suppression_files.revision is 'Number of changes of the suppressions file that this database knows.';
