-- Tokens of ended calls: what was reserved is replaced by what was used, and a model's estimates
-- are adjusted by one of the calls.

-- learn_from: adjusts a model's estimates by one of these calls, drawn at random, if its tokens are
-- known.
create or replace function sluice.learn_from(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[])
returns void
language plpgsql volatile
as $$
declare
  v_call sluice.ended_call := p_ended[1 + floor(random() * cardinality(p_ended))::int];
  v_outcome sluice.outcome := p_outcomes[v_call.place];
begin
  if v_outcome.kind = 'solved' and v_outcome.input_tokens is not null then
    perform sluice.learn_tokens((v_call.lease).model, (v_call.lease).request_bytes,
      v_outcome.input_tokens, v_outcome.output_tokens);
  end if;
end
$$;

-- believed_tokens: of the tokens that a backend tells of a call those that the call can have had,
-- as budgets reckon; all, if they have no bound. A verbatim request above parse_bytes_max counts as
-- one without, unless its bounds are kept.
create or replace function sluice.believed_tokens(p_lease sluice.lease, p_input int, p_output int)
returns bigint
language plpgsql stable
as $$
declare
  v_bounds record;
begin
  select b.input, b.output into v_bounds
  from sluice.task k join sluice.models m on m.id = p_lease.model
  cross join lateral sluice.call_bounds(m, k.prompt, k.request, k.max_output_tokens, k.bounds,
    sluice.parse_bytes_max()) b
  where k.id = p_lease.task_id;
  return least(greatest(p_input, 0), v_bounds.input)::bigint
    + least(greatest(p_output, 0), v_bounds.output);
end
$$;

-- settle_reserved: replaces the tokens reserved for ended calls by those used. It updates no row:
-- it inserts another one into sluice.spent, dated at the claim, with the difference, and moves the
-- bucket by as much. So it needs no lock: the account is a sum of rows, and the bucket only
-- spreads. The tokens used are input and output tokens if the worker reported them. Otherwise none,
-- for a call that was not sent or not billed (returned without an error, throttled, billed =
-- false). Otherwise the reservation stands, as for a lost call: it may have been billed.
-- Reservations older than the window no longer count anyway. More than a minute's tokens are booked
-- for no call: it would not have been let in.
create or replace function sluice.settle_reserved(
  p_outcomes sluice.outcome[], p_ended sluice.ended_call[], p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_account record;
begin
  for v_account in
    with call as materialized (
      select l.model, l.tenant, l.started_at as at,
        case when o.input_tokens is not null or o.output_tokens is not null
            then case
              -- up to so many nobody asks whether the call can have had them
              when s.told <= l.reserved_tokens + l.request_bytes + sluice.frame_tokens(true)
                then s.told
              else sluice.believed_tokens(e.lease, o.input_tokens, o.output_tokens) end
          when o.kind = 'throttled' or (o.kind = 'returned' and o.error_code is null)
            or not o.billed then 0
          else l.reserved_tokens end - l.reserved_tokens as tokens
      from unnest(p_ended) e
      cross join lateral (select (e.lease).*) l
      cross join lateral (select (x.o).* from (select p_outcomes[e.place] as o offset 0) x) o
      cross join lateral (
        select greatest(o.input_tokens, 0)::bigint + greatest(o.output_tokens, 0) as told) s
      where l.reserved_tokens > 0),
    moved as materialized (
      select q.quota, c.at, sum(least(c.tokens, (q.quota).units))::bigint as tokens,
        q.model
      from call c
      cross join lateral (
        select sluice.token_quota(m) as quota, m.id as model from sluice.models m
        where m.id = c.model and m.tpm is not null
        union all
        select sluice.token_quota(t), null from sluice.tenants t where t.name = c.tenant
          and t.tpm is not null) q
      group by 1, 2, 4),
    booked as (
      insert into sluice.spent (account, at, tokens)
      select (m.quota).account, least(m.at, p_now), m.tokens from moved m
      where m.tokens <> 0 and m.at > p_now - sluice.token_window()
        -- the clock was set back: a refund could outlive its charge
        and (m.tokens > 0 or m.at <= p_now))
    select m.quota, m.model, sum(m.tokens)::bigint as tokens from moved m group by 1, 2 order by 2
  loop
    perform sluice.move_bucket(v_account.quota, v_account.tokens, p_now);
    if v_account.tokens < 0 and v_account.model is not null then
      -- who sleeps until the next permit may begin sooner
      perform sluice.notify_opened(v_account.model);
    end if;
  end loop;
end
$$;
