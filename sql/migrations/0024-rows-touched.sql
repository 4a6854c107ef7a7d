-- What a run writes and reads grows with what it changes, not with what was there before.

-- What became of a change is written into its row: within the page, and without a new entry in any index, where there is
-- room and no index depends on what is written.
drop index sync.changes_alone;
create index changes_alone on sync.changes (integration_id, run_id, seq) where alone;
alter table sync.changes set (fillfactor = 45);

-- What ended since a run, found without what had ended before.
create index desired_items_ended on sync.desired_items (integration_id, valid_to_run) where valid_to_run is not null;
create index decisions_ended on sync.decisions (integration_id, valid_to_run) where valid_to_run is not null;
