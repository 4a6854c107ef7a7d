-- How far the platform is known to be, so that one that was restored from a backup is noticed.

alter table sync.integrations add column platform_fence bigint not null default 0;
comment on column sync.integrations.platform_fence is 'Highest fence with which something landed on the platform, or as it was read back; 0 where nothing is known. A platform with a lower one was restored from a backup.';
