-- What is left out by hand is left out of the source event, whichever integration reads it, and can come from another database.

alter table sync.suppressed
  add column source text not null default '',
  add column source_url text not null default '',
  add column source_event_id text not null default '';

-- Until now each integration had its own, of the source event that it was bound to.
update sync.suppressed as item
set source = bound.source,
  source_url = bound.source_url,
  source_event_id = bound.source_event_id
from sync.integrations as bound
where bound.integration_id = item.integration_id;

alter table sync.suppressed
  alter column source drop default,
  alter column source_url drop default,
  alter column source_event_id drop default,
  drop constraint suppressed_pkey,
  add primary key (integration_id, source, source_url, source_event_id, content, unique_id);

comment on column sync.suppressed.integration_id is 'Integration by which it was left out; empty for what was imported.';
comment on column sync.suppressed.source is 'Source type of which it is left out; empty where an earlier version did not note it and the integration has not run since.';
comment on column sync.suppressed.source_url is 'Its address.';
comment on column sync.suppressed.source_event_id is 'Its event.';
