-- A page of decisions.csv begins where the one before it ended, among repeated and quarantined records too.
create index unstaged_by_source_id on sync.unstaged (integration_id, run_id, resource, coalesce(source_id, ''), ordinal);
