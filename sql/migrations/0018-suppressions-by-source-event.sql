-- Suppressions hold for the source event, whichever integration reads it, and can come from another database.

alter table sync.forgotten
  add column source text not null default '',
  add column source_url text not null default '',
  add column source_event_id text not null default '',
  add column forgotten_in text collate "C" not null default '';
alter table sync.forgotten_addresses
  add column source text not null default '',
  add column source_url text not null default '',
  add column source_event_id text not null default '',
  add column forgotten_in text collate "C" not null default '',
  add column key_check bytea;

-- Until now each integration had its own, of the source event that it was bound to.
update sync.forgotten as gone
set source = bound.source,
  source_url = bound.source_url,
  source_event_id = bound.source_event_id
from sync.integrations as bound
where bound.integration_id = gone.integration_id;
update sync.forgotten set forgotten_in = integration_id;
update sync.forgotten_addresses as gone
set source = bound.source,
  source_url = bound.source_url,
  source_event_id = bound.source_event_id
from sync.integrations as bound
where bound.integration_id = gone.integration_id;
update sync.forgotten_addresses as gone
set forgotten_in = integration_id,
  key_check = (
    select person.key_check
    from sync.forgotten as person
    where person.integration_id = gone.integration_id
    order by person.key_check
    limit 1
  );

alter table sync.forgotten
  alter column source drop default,
  alter column source_url drop default,
  alter column source_event_id drop default,
  alter column forgotten_in drop default;
alter table sync.forgotten_addresses
  alter column source drop default,
  alter column source_url drop default,
  alter column source_event_id drop default,
  alter column forgotten_in drop default;

comment on column sync.forgotten.integration_id is 'Integration that keeps the person out; empty for what was imported: each integration of the source event takes it over at its next run.';
comment on column sync.forgotten.id_mac is 'HMAC-SHA256 of forgotten_in and the id under a key made of sealingKey, by which the id is known again.';
comment on column sync.forgotten.source is 'Source type in which the person was forgotten; empty where an earlier version did not note it.';
comment on column sync.forgotten.source_url is 'Its address.';
comment on column sync.forgotten.source_event_id is 'Its event.';
comment on column sync.forgotten.forgotten_in is 'Integration in which the person was forgotten, maybe of another database.';
comment on column sync.forgotten_addresses.integration_id is 'Integration, as in sync.forgotten.';
comment on column sync.forgotten_addresses.address_mac is 'HMAC-SHA256 of forgotten_in and the address in lower case under a key made of sealingKey.';
comment on column sync.forgotten_addresses.source is 'Source type in which the person was forgotten, as in sync.forgotten.';
comment on column sync.forgotten_addresses.source_url is 'Its address.';
comment on column sync.forgotten_addresses.source_event_id is 'Its event.';
comment on column sync.forgotten_addresses.forgotten_in is 'Integration in which the person was forgotten, maybe of another database.';
comment on column sync.forgotten_addresses.key_check is 'As in sync.forgotten; null where an earlier version did not note it.';
