-- readers: every run that reads a source on PostgreSQL. Each call is one transaction, so that two processes never get
-- the same credits.
create or replace function sync.take_credits(
  of_host text,
  request_cost integer,
  wants_request boolean,
  told_limit integer,
  told_left integer,
  told_reset_ms integer,
  told_closed_ms integer
) returns table (is_granted boolean, wait_ms integer)
language plpgsql
set search_path = pg_catalog
as $$
declare
  budget sync.rate_budgets;
  at_time timestamptz;
begin
  insert into sync.rate_budgets (host) values (of_host) on conflict (host) do nothing;
  select * into budget from sync.rate_budgets where host = of_host for update;
  -- now() would be the start of the transaction, which may have waited for the row.
  at_time := clock_timestamp();

  if budget.resets_at <= at_time then
    -- If the limit is lower than the cost of a request, the limit counts something else. Then one request is granted,
    -- and its answer states new limits.
    budget.credits_left := case when budget.credit_limit is null then null else greatest(budget.credit_limit, request_cost) end;
    -- Assumes that the new window is as long as the longest one so far, plus a second, because the host begins a window
    -- when a request arrives. An answer that states an earlier end replaces this value.
    budget.resets_at := case
      when budget.credit_limit is null then null
      else at_time + (coalesce(budget.window_ms, 60000) + 1000) * interval '1 millisecond'
    end;
  end if;

  budget.credit_limit := coalesce(told_limit, budget.credit_limit);
  if told_left is not null and told_reset_ms > 0 then
    -- This line never raises the number: other processes may have taken credits after the host wrote the answer.
    budget.credits_left := greatest(0, least(coalesce(budget.credits_left, told_left), told_left));
    budget.window_ms := greatest(coalesce(budget.window_ms, told_reset_ms), told_reset_ms);
    budget.resets_at := least(
      coalesce(budget.resets_at, 'infinity'),
      at_time + told_reset_ms * interval '1 millisecond'
    );
  end if;
  if told_closed_ms > 0 then
    budget.closed_until := greatest(
      coalesce(budget.closed_until, '-infinity'),
      at_time + told_closed_ms * interval '1 millisecond'
    );
  end if;

  is_granted := false;
  wait_ms := 0;
  if budget.closed_until > at_time then
    wait_ms := ceil(extract(epoch from budget.closed_until - at_time) * 1000);
  elsif not wants_request then
    null;
  elsif budget.credits_left < request_cost then
    wait_ms := greatest(1, ceil(extract(epoch from budget.resets_at - at_time) * 1000));
  else
    is_granted := true;
    budget.credits_left := budget.credits_left - request_cost;
  end if;

  update sync.rate_budgets
  set credit_limit = budget.credit_limit,
    credits_left = budget.credits_left,
    window_ms = budget.window_ms,
    resets_at = budget.resets_at,
    closed_until = budget.closed_until,
    changed_at = at_time
  where host = of_host;
  return next;
end
$$;

comment on function sync.take_credits(text, integer, boolean, integer, integer, integer, integer) is 'Takes credits of the rate limit for one request to a host. The function also records the limits that answers have stated since the last call of the process. The result wait_ms is the time in milliseconds that the process must wait before its request.';
