-- Tokens are estimated and reserved when a task is claimed, and settled to what the call really
-- used when it ends.
--
-- Promise: in any half-open window of a minute, the tokens used by the calls begun in it, plus
-- those reserved by calls still under way, exceed tpm by at most the one request granted last (as
-- long as no call uses more than was reserved for it). Two things keep this promise:
--   - the account (sluice.spent): tokens by the moment of their claim, corrected at that moment
--     when they are settled. The sum over the last W + d limits the grants. It is exact whatever
--     the estimates, delays and limits were; being rows, it is undone by a rollback and survives a
--     crash;
--   - the bucket (3_limits/permits.sql): spreads the grants over the minute. The first task is
--     granted while the bucket is not in debt, and charged in full; unused tokens are put back.
-- The bucket alone allows more where calls that began before the window used less than was reserved
-- for them (D-044); the account alone grants a minute's tokens in one second.

-- token_window: W + d: how long booked tokens count.
create or replace function sluice.token_window() returns interval
language sql immutable parallel safe
as $$ select interval '60 seconds' + sluice.send_allowance_ms() * interval '1 millisecond' $$;

-- tokens_spent: the tokens booked to an account within the window before p_now.
create or replace function sluice.tokens_spent(p_account int, p_now timestamptz) returns bigint
language plpgsql volatile
as $$
begin
  return (select coalesce(sum(tokens), 0) from sluice.spent
          where account = p_account and at > p_now - sluice.token_window());
end
$$;

-- tokens_free_at: when an account will have less than p_units in its window: p_now, or the moment
-- when enough of them are older than the window.
create or replace function sluice.tokens_free_at(p_account int, p_units bigint, p_now timestamptz)
returns timestamptz
language plpgsql volatile
as $$
begin
  return (
    select case when coalesce(sum(x.tokens), 0) < p_units then p_now
      else min(x.at) filter (where x.later < p_units) + sluice.token_window() end
    from (
      select s.at, sum(s.tokens) as tokens,
        sum(sum(s.tokens)) over (order by s.at desc) - sum(s.tokens) as later
      from sluice.spent s where s.account = p_account and s.at > p_now - sluice.token_window()
      group by s.at) x);
end
$$;

-- merge_spent: replaces the rows that were booked to an account within the same quarter of a second
-- by one, dated at the last of them, once its window has more than 500 rows. Claims then sum up
-- 1,000 rows or so, however often they come. Tokens leave the window at most 250 ms late, which is
-- the safe side. The last second is left out: it is still being booked to.
-- Requires the lock of the account's model or tenant.
create or replace function sluice.merge_spent(p_account int, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_from timestamptz := p_now - sluice.token_window();
begin
  if (select count(*) from (select from sluice.spent where account = p_account and at > v_from
    limit 501) s) <= 500 then
    return;
  end if;
  with gone as (
    delete from sluice.spent where account = p_account and at > v_from
      and at <= p_now - interval '1 second'
    returning at, tokens)
  insert into sluice.spent (account, at, tokens)
  select p_account, max(at), sum(tokens) from gone group by floor(date_part('epoch', at) * 4);
end
$$;

-- clean_spent: removes tokens booked more than 5 minutes ago. It starts where it last ended, so
-- that it never walks over its own dead rows, and its work is bounded by what was claimed since.
-- Called by the sweep.
create or replace function sluice.clean_spent(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_from timestamptz :=
    sluice.from_micros(coalesce(pg_sequence_last_value('sluice.spent_until'::regclass), 0));
  v_until timestamptz := p_now - interval '5 minutes';
begin
  delete from sluice.spent where at >= least(v_from, v_until) and at < v_until;
  perform setval('sluice.spent_until', greatest(0, sluice.micros(v_until)));
end
$$;

-- estimate_tokens: about how many tokens a task will use: its input by the model's learned ratio to
-- bytes; its output by the task's own bound, else by a bound learned from the model's answers.
-- Params:  p_model: model id (null, or a model that has learned nothing yet: 4 bytes a token, 512
--          tokens an answer).
-- It adds 8 tokens a request for the frame around the text.
create or replace function sluice.estimate_tokens(
  p_model int, p_request_bytes int, p_max_output_tokens int)
returns int
language plpgsql volatile
as $$
declare
  v_learned bigint := coalesce(sluice.counter('learned', p_model),
    sluice.pack_learned(250000, 512));
begin
  return least(2147483647, 8 + p_request_bytes * (v_learned >> 20) / 1000000
    + coalesce(p_max_output_tokens, (v_learned & 1048575)::int)::bigint);
end
$$;

-- pack_learned: the value of a model's sequence learned_<n>: millionths of a token per byte of a
-- request, between 1/64 (a picture in base64) and 1 (no tokenizer makes more tokens than bytes);
-- and tokens of an answer, between 1 and a million.
create or replace function sluice.pack_learned(p_input bigint, p_output bigint) returns bigint
language sql immutable
as $$
  select (least(greatest(p_input, 1000000 / 64), 1000000) << 20)
    | least(greatest(p_output, 1), 1048575)
$$;

-- learn_tokens: adjusts what was learned of a model by what one call used: up by an eighth at most,
-- down by a 128th. At the balance of these steps one call in 17 uses more: a reservation should
-- rather be too large. It samples one call at every eighth flush and takes no lock; the next sample
-- makes up for a lost step.
create or replace function sluice.learn_tokens(
  p_model int, p_request_bytes int, p_input int, p_output int)
returns void
language plpgsql volatile
as $$
declare
  v_learned bigint := coalesce(sluice.counter('learned', p_model),
    sluice.pack_learned(250000, 512));
  v_input bigint := v_learned >> 20;
  v_output bigint := v_learned & 1048575;
  v_seen bigint := (greatest(8, p_input) - 8) * 1000000::bigint / greatest(1, p_request_bytes);
begin
  v_input := least(greatest(v_seen, v_input - (v_input + 127) / 128), v_input + v_input / 8);
  v_output := least(greatest(coalesce(p_output, 0), v_output - (v_output + 127) / 128),
    v_output + (v_output + 7) / 8);
  perform sluice.set_counter('learned', p_model, sluice.pack_learned(v_input, v_output));
end
$$;

-- check_fits: refuses a task that is larger than what its model, each model of its route, or its
-- tenant may use in a minute.
-- Params:  p_name: of the model or route.
-- Errors:  SL002, with the numbers.
create or replace function sluice.check_fits(
  p_name text, p_tenant text, p_bytes int, p_max_output_tokens int)
returns void
language plpgsql volatile
as $$
declare
  v_limit record;
begin
  if not exists (select from sluice.models where tpm is not null)
     and not exists (select from sluice.tenants where tpm is not null) then
    return;
  end if;
  -- The model that it fits best, unless one has no limit; and its tenant.
  select * into v_limit from (
    (with target as materialized (
       select m.id, m.name, m.tpm from sluice.models m
       where m.name = p_name or m.name in (select r.model from sluice.routes r
         where r.route = p_name))
     select format('model "%s"', t.name) as who, t.tpm,
       sluice.estimate_tokens(t.id, p_bytes, p_max_output_tokens) as needed
     from target t where not exists (select from target where tpm is null)
     order by t.tpm - sluice.estimate_tokens(t.id, p_bytes, p_max_output_tokens) desc limit 1)
    union all
    select format('tenant "%s"', t.name), t.tpm, sluice.estimate_tokens(
      (select m.id from sluice.models m where m.name = p_name), p_bytes, p_max_output_tokens)
    from sluice.tenants t where t.name = p_tenant and t.tpm is not null) l
  where l.needed > l.tpm limit 1;
  if found then
    raise exception 'the task needs about % tokens, and % may use % a minute (tpm)',
      v_limit.needed, v_limit.who, v_limit.tpm
      using errcode = 'SL002',
        hint = 'Shorten it, lower its max_output_tokens, or raise the limit.';
  end if;
end
$$;
