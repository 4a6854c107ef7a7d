-- A database that was restored has not the runs that came after; their packs may stand beside it.

alter table sync.runs add column gap jsonb;
comment on column sync.runs.gap is 'Packs that stood beside this database, of which it had no run when this run began: run and SHA-256 of the manifest; the manifest of this run says so. Null where there was none.';
