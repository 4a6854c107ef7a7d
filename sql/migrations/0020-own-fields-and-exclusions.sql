-- What a customer adds without code: fields of their own, and items that are left out one by one.

alter table sync.runs add column custom jsonb not null default '{}';
comment on column sync.runs.custom is 'Custom fields as the run was configured, by content and name.';

create table sync.suppressed (
  integration_id text collate "C" not null,
  content text collate "C" not null check (content in ('agenda', 'speakers', 'attendees')),
  unique_id text collate "C" not null,
  suppressed_at timestamptz not null,
  suppressed_by text not null,
  primary key (integration_id, content, unique_id)
);
comment on table sync.suppressed is 'Items that somebody left out by hand (event-sync suppress), known or not, until that is taken back.';
comment on column sync.suppressed.integration_id is 'Integration.';
comment on column sync.suppressed.content is 'agenda, speakers or attendees.';
comment on column sync.suppressed.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.suppressed.suppressed_at is 'Since when.';
comment on column sync.suppressed.suppressed_by is 'User at the operating system who ran suppress. Personal.';
