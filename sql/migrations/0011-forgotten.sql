-- People who were forgotten: by what the next read knows them again, and what packs were written again without them.

create table sync.forgotten (
  integration_id text collate "C" not null,
  token text collate "C" not null,
  id_mac bytea not null,
  sealed_id bytea,
  key_check bytea not null,
  forgotten_at timestamptz not null,
  forgotten_by text not null,
  primary key (integration_id, token),
  unique (integration_id, id_mac)
);
comment on table sync.forgotten is 'People who were forgotten, each id once: what the next read brings of them is dropped. Nothing here leads back to a person without sealingKey.';
comment on column sync.forgotten.integration_id is 'Integration.';
comment on column sync.forgotten.token is 'Stands in place of the id wherever it stood: forgotten- and random digits.';
comment on column sync.forgotten.id_mac is 'HMAC-SHA256 of the id under a key made of sealingKey, by which the id is known again.';
comment on column sync.forgotten.sealed_id is 'The id, AES-256-GCM under sealingKey, as long as the platform has to be told whom to remove; null after that. Personal.';
comment on column sync.forgotten.key_check is 'HMAC-SHA256 of a fixed text under that key: another sealingKey is noticed.';
comment on column sync.forgotten.forgotten_at is 'When.';
comment on column sync.forgotten.forgotten_by is 'User at the operating system who ran forget. Personal.';

create table sync.forgotten_addresses (
  integration_id text collate "C" not null,
  address_mac bytea not null,
  primary key (integration_id, address_mac)
);
comment on table sync.forgotten_addresses is 'E-mail addresses of people who were forgotten, known again by their HMAC only.';
comment on column sync.forgotten_addresses.integration_id is 'Integration.';
comment on column sync.forgotten_addresses.address_mac is 'HMAC-SHA256 of the address in lower case under a key made of sealingKey.';

create table sync.superseded_manifests (
  integration_id text collate "C" not null,
  run_id uuid not null,
  place integer not null,
  sha256 text not null,
  manifest text,
  signature text,
  superseded_at timestamptz not null,
  primary key (integration_id, run_id, place),
  unique (integration_id, run_id, sha256)
);
comment on table sync.superseded_manifests is 'Manifests of packs that were written again without somebody: links of the chain, since later packs name them.';
comment on column sync.superseded_manifests.integration_id is 'Integration.';
comment on column sync.superseded_manifests.run_id is 'Run of the pack.';
comment on column sync.superseded_manifests.place is 'How often the pack was written again by then, from 1.';
comment on column sync.superseded_manifests.sha256 is 'SHA-256 of the manifest, in hex.';
comment on column sync.superseded_manifests.manifest is 'The manifest, which names who started and approved the run; null where it held a value of the person. Personal.';
comment on column sync.superseded_manifests.signature is 'Its signature; null where it had none, or is not kept.';
comment on column sync.superseded_manifests.superseded_at is 'When another took its place.';

alter table sync.runs add column reissue_due boolean not null default false;
comment on column sync.runs.reissue_due is 'Whether its pack still holds somebody who was forgotten, and has to be written again.';
alter table sync.certificates add column forgotten bigint not null default 0;
comment on column sync.certificates.forgotten is 'Records among them that were dropped at the door, since they are of people who were forgotten.';
alter table sync.readings add column forgotten bigint not null default 0;
comment on column sync.readings.forgotten is 'Records that were dropped among them, since they are of people who were forgotten.';
