-- Number of requests that hosts still accept, shared by all processes that send requests to them.

create table sync.rate_budgets (
  host text collate "C" primary key,
  credit_limit integer,
  credits_left integer,
  window_ms integer,
  resets_at timestamptz,
  closed_until timestamptz,
  changed_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table sync.rate_budgets is 'Number of requests that each source still accepts, as its answers state, and the time at which each platform with a known limit of requests accepts the next request. Integrations with the same account share one row.';
comment on column sync.rate_budgets.host is 'Host and port of the source; before those of a platform is the word `platform`. If the product uses credentials, a space and 32 bits of a keyed hash of the credentials follow.';
comment on column sync.rate_budgets.credit_limit is 'Number of credits (units of the rate limit) in a whole time window; null if the host does not state this number.';
comment on column sync.rate_budgets.credits_left is 'Number of credits in the current time window that no process has taken yet; null if the host does not state this number.';
comment on column sync.rate_budgets.window_ms is 'Longest reported time to the end of a time window, in milliseconds.';
comment on column sync.rate_budgets.resets_at is 'Time, by the clock of the database, at which the time window ends and all credits are available again. For a platform, the time at which the next request may begin.';
comment on column sync.rate_budgets.closed_until is 'Time until which no process may send a request, because the host asked for a pause. closed_until is null if the host asked for no pause.';
comment on column sync.rate_budgets.changed_at is 'Time at which a process last took credits, or reported the limits from an answer.';
