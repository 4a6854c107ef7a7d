-- Packs follow each other in the order in which they were written: a plan that is approved late lands after later runs.

alter table sync.runs add column previous_manifest_sha256 text;
comment on column sync.runs.previous_manifest_sha256 is 'SHA-256 of the manifest of the pack that this run''s pack follows; null where it is the first, and as long as there is none.';

update sync.runs as run
set previous_manifest_sha256 = (
  select earlier.manifest_sha256
  from sync.runs as earlier
  where earlier.integration_id = run.integration_id
    and earlier.run_id < run.run_id
    and earlier.manifest_sha256 is not null
  order by earlier.run_id desc
  limit 1
)
where run.applied_at is not null
  and run.finished_at is not null;
