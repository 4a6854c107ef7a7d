-- Items that a platform had before the first plan, so that no plan removes them unseen.

alter table sync.platform_items add column preexisting boolean not null default false;
comment on column sync.platform_items.preexisting is 'True if the platform had the item when it was read back for the first time, and no run has sent it since.';
comment on column sync.platform_items.run_id is 'Run that sent the item, or was the first to read it back.';
