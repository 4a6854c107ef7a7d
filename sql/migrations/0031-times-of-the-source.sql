-- The source's own clock, by which a time of a change that lies ahead is found.

alter table sync.requests add column source_at timestamptz;
comment on column sync.requests.source_at is 'When it was answered by the clock of the source (its Date header); null where the source did not say.';
