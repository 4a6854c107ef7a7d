-- Each account on a host has a budget of its own, so its key is host and account.

comment on table sync.rate_budgets is 'How many requests sources still take, as their answers say; shared by all integrations that read with one account, so it is no integration''s.';
comment on column sync.rate_budgets.host is 'Host and port, as in the address of a source; then, after a blank, 32 bits of a keyed hash of the credentials, where it is read with any.';
