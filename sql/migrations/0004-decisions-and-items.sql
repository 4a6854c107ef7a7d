-- The decision on each record, and the items that the platform should have.

create table sync.decisions (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  resource text collate "C" not null,
  source_id text collate "C" not null,
  unique_id text collate "C",
  decision text not null check (decision in ('synced', 'excluded')),
  reason text not null,
  detail text not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, content, source_id, valid_from_run),
  constraint decisions_not_empty check (valid_to_run > valid_from_run)
);
create index decisions_by_run on sync.decisions (integration_id, valid_from_run);
create unique index decisions_current on sync.decisions (integration_id, content, source_id) where valid_to_run is null;
create index decisions_ended on sync.decisions (integration_id, valid_to_run) where valid_to_run is not null;
comment on table sync.decisions is 'Decision on each staged record for each content, with history. Repeated and quarantined records are in sync.unstaged.';
comment on column sync.decisions.integration_id is 'Id of the integration.';
comment on column sync.decisions.content is 'Content: agenda, speakers or attendees.';
comment on column sync.decisions.resource is 'Name of the resource of the record.';
comment on column sync.decisions.source_id is 'Id of the record. Personal.';
comment on column sync.decisions.unique_id is 'Unique ID of the platform item; null if the record has no unique ID. Personal.';
comment on column sync.decisions.decision is 'Decision on the record: synced or excluded.';
comment on column sync.decisions.reason is 'Reason why the record is excluded; empty if the record is synced.';
comment on column sync.decisions.detail is 'Warnings about the record in byte order, joined with "; "; empty if there are none.';
comment on column sync.decisions.valid_from_run is 'First run with this decision.';
comment on column sync.decisions.valid_to_run is 'First run with another decision or without a decision; null while this decision is current.';

create table sync.desired_items (
  integration_id text collate "C" not null,
  content text collate "C" not null,
  unique_id text collate "C" not null,
  fields jsonb not null,
  valid_from_run uuid not null,
  valid_to_run uuid,
  primary key (integration_id, content, unique_id, valid_from_run),
  constraint desired_items_not_empty check (valid_to_run > valid_from_run)
);
create index desired_items_by_run on sync.desired_items (integration_id, valid_from_run);
create unique index desired_items_current on sync.desired_items (integration_id, content, unique_id) where valid_to_run is null;
create index desired_items_ended on sync.desired_items (integration_id, valid_to_run) where valid_to_run is not null;
comment on table sync.desired_items is 'Items that the platform should have, with history.';
comment on column sync.desired_items.integration_id is 'Id of the integration.';
comment on column sync.desired_items.content is 'Content: agenda, speakers or attendees.';
comment on column sync.desired_items.unique_id is 'Unique ID of the item. Personal.';
comment on column sync.desired_items.fields is 'Platform fields of the item. Fields without a value are left out. Personal.';
comment on column sync.desired_items.valid_from_run is 'First run in which the item has these fields.';
comment on column sync.desired_items.valid_to_run is 'First run with other fields or without the item; null while these fields are current.';
