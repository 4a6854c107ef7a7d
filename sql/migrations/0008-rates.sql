-- Requests that hosts still take, shared by all processes that read from them.

create table sync.rate_budgets (
  host text collate "C" primary key,
  credit_limit integer,
  credits_left integer,
  window_ms integer,
  resets_at timestamptz,
  closed_until timestamptz,
  changed_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table sync.rate_budgets is 'How many requests sources still take, as their answers say; shared by all integrations that read with one account, so it is not an integration''s.';
comment on column sync.rate_budgets.host is 'Host and port, as in the address of a source; then, after a blank, 32 bits of a keyed hash of the credentials, if it is read with any.';
comment on column sync.rate_budgets.credit_limit is 'Credits of a whole window; null where the host does not tell.';
comment on column sync.rate_budgets.credits_left is 'Credits of this window that no process has taken yet; null where the host does not tell.';
comment on column sync.rate_budgets.window_ms is 'Longest time to the end of a window that was reported, milliseconds.';
comment on column sync.rate_budgets.resets_at is 'When the window ends and there is a whole limit again, by the clock of the database.';
comment on column sync.rate_budgets.closed_until is 'The host has asked not to be asked before this.';
comment on column sync.rate_budgets.changed_at is 'When a process last took credits, or reported what an answer said.';
