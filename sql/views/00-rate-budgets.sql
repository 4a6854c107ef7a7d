-- readers: every run that reads a source on PostgreSQL. One call in one transaction: what one process was granted, no other is.
create or replace function sync.lease_credits(
  of_host text,
  request_cost integer,
  wanted integer,
  returned integer,
  returned_window bigint,
  told_limit integer,
  told_left integer,
  told_reset_ms integer,
  told_closed_ms integer
) returns table (granted integer, wait_ms integer, of_window bigint)
language plpgsql
set search_path = pg_catalog
as $$
declare
  budget sync.rate_budgets;
  at_time timestamptz;
begin
  insert into sync.rate_budgets (host) values (of_host) on conflict (host) do nothing;
  select * into budget from sync.rate_budgets where host = of_host for update;
  -- Not the time at which the transaction began: it may have waited for the row.
  at_time := clock_timestamp();

  if budget.resets_at <= at_time then
    budget.window_number := budget.window_number + 1;
    -- A limit below the cost of a request counts something else: one goes, and its answer says more.
    budget.credits_left := case when budget.credit_limit is null then null else greatest(budget.credit_limit, request_cost) end;
    -- Until an answer tells the end of the new window: that of the longest one, and a second, since the host begins it when
    -- a request arrives. What an answer tells is sooner, and holds then.
    budget.resets_at := case
      when budget.credit_limit is null then null
      else at_time + (coalesce(budget.window_ms, 60000) + 1000) * interval '1 millisecond'
    end;
  elsif returned > 0 and returned_window = budget.window_number then
    budget.credits_left := least(budget.credits_left + returned, greatest(budget.credit_limit, request_cost));
  end if;

  budget.credit_limit := coalesce(told_limit, budget.credit_limit);
  if told_left is not null and told_reset_ms > 0 then
    -- Never more than before: an answer may be older than what others have taken since.
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

  of_window := budget.window_number;
  wait_ms := 0;
  if budget.closed_until > at_time then
    granted := 0;
    wait_ms := ceil(extract(epoch from budget.closed_until - at_time) * 1000);
  elsif budget.credits_left is null then
    granted := null;
  elsif wanted = 0 then
    granted := 0;
  elsif budget.credits_left < request_cost then
    granted := 0;
    wait_ms := greatest(1, ceil(extract(epoch from budget.resets_at - at_time) * 1000));
  else
    -- Whole requests, and half of what is left at most, so that nobody takes it all.
    granted := greatest(1, least(wanted, budget.credits_left / 2) / request_cost) * request_cost;
    budget.credits_left := budget.credits_left - granted;
  end if;

  update sync.rate_budgets
  set credit_limit = budget.credit_limit,
    credits_left = budget.credits_left,
    window_number = budget.window_number,
    window_ms = budget.window_ms,
    resets_at = budget.resets_at,
    closed_until = budget.closed_until,
    changed_at = at_time
  where host = of_host;
  return next;
end
$$;

comment on function sync.lease_credits(text, integer, integer, integer, bigint, integer, integer, integer, integer) is 'Takes credits of a host for a process, gives back what is left of its last lease, and tells what answers have said since; granted is null where the host tells of no limit, wait_ms how long nothing is granted.';
