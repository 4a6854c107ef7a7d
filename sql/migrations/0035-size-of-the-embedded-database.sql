-- By how much a run made the embedded database grow, so that the next one knows what room it needs.

alter table sync.runs add column database_bytes bigint;
comment on column sync.runs.database_bytes is 'Size of the files of the embedded database at the end of the run, in bytes; null on PostgreSQL, and of a run that failed before.';
