-- A run's report shows the agenda as the clocks of the event did, whatever the configuration says by now.

alter table sync.runs add column time_zone text;
comment on column sync.runs.time_zone is 'source.timeZone as the run was opened; null where there was none. Of runs before 0.2, what it was at the upgrade.';

update sync.runs as run
set time_zone = integration.time_zone
from sync.integrations as integration
where integration.integration_id = run.integration_id;
