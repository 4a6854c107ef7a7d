-- Number of requests that hosts still accept, shared by all processes that read from them.

create table sync.rate_budgets (
  host text collate "C" primary key,
  credit_limit integer,
  credits_left integer,
  window_ms integer,
  resets_at timestamptz,
  closed_until timestamptz,
  changed_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table sync.rate_budgets is 'How many requests each source still accepts, as stated in its answers. All integrations that read with one account share one row.';
comment on column sync.rate_budgets.host is 'Host and port of the source. If it is read with credentials: then a space, and 32 bits of a keyed hash of the credentials.';
comment on column sync.rate_budgets.credit_limit is 'Number of credits in a whole window; null if the host does not state it.';
comment on column sync.rate_budgets.credits_left is 'Number of credits in the current window that no process has taken yet; null if the host does not state it.';
comment on column sync.rate_budgets.window_ms is 'Longest time to the end of a window that was reported, in milliseconds.';
comment on column sync.rate_budgets.resets_at is 'Time at which the window ends and the whole limit is available again, by the clock of the database.';
comment on column sync.rate_budgets.closed_until is 'Time before which no process may send a request, because the host asked for that; null if it did not.';
comment on column sync.rate_budgets.changed_at is 'Time at which a process last took credits, or reported the limits from an answer.';
