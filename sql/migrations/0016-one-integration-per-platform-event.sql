-- One integration to a platform event. A file (no address) is each integration's own.

alter table sync.integrations add column owns_platform_event boolean not null default true;
comment on column sync.integrations.owns_platform_event is 'Whether its runs may write to the platform event: false where another integration took it over, or several wrote to it before that was refused.';

-- Nobody but the user knows which of several is to go on: none does until `run ID --rebind` says so.
update sync.integrations as one
set owns_platform_event = false
where one.platform_url <> ''
  and exists (
    select from sync.integrations as other
    where other.integration_id <> one.integration_id
      and other.platform = one.platform
      and other.platform_url = one.platform_url
      and other.platform_event_id = one.platform_event_id
  );

create unique index integrations_platform_event on sync.integrations (platform, platform_url, platform_event_id)
where owns_platform_event and platform_url <> '';
