-- The measures of fair share: the lengths of tasks and the clocks of tenants
-- (4_policy/fair_share.sql).

-- task_tokens: the length of a task for the sharing, about: 4 bytes a token.
create or replace function sluice.task_tokens(p_request_bytes int) returns double precision
language sql immutable parallel safe
as $$ select greatest(1, p_request_bytes / 4)::double precision $$;

-- level_key: the key of the level among a model's clocks. No tenant has it.
create or replace function sluice.level_key() returns bigint
language sql immutable parallel safe
as $$ select -4611686018427387905 $$;

-- clock_of: a tenant's clock at p_model, or the level. Null: a tenant without a clock is at the
-- level; a model without a level is at 0.
create or replace function sluice.clock_of(p_model int, p_rank smallint, p_tenant bigint)
returns double precision
language plpgsql volatile
as $$
begin
  return (
    select c.v from sluice.tenant_clock c where c.model = p_model and c.rank = p_rank
      and c.tenant = p_tenant
    order by c.model, c.rank, c.tenant, c.n desc limit 1);
end
$$;

-- note_clock: moves the clock of the tenant of lane p_head, and the level, after a task of the turn
-- p_turn that first_head found was taken. Requires the model's lock.
-- Params:  p_request_bytes: the size of the task taken, which may not be the lane's first: an
--          earlier deadline goes ahead.
create or replace function sluice.note_clock(
  p_model int, p_turn sluice.turn, p_head sluice.head, p_request_bytes int)
returns void
language plpgsql volatile
as $$
begin
  insert into sluice.tenant_clock (model, rank, tenant, n, v)
  values (p_model, p_turn.aged, p_turn.tenant, nextval('sluice.mark_id'),
    p_turn.start + sluice.task_tokens(p_request_bytes) / coalesce(p_head.weight, 1));
  if p_turn.level is not null then
    insert into sluice.tenant_clock (model, rank, tenant, n, v)
    values (p_model, p_turn.aged, sluice.level_key(), nextval('sluice.mark_id'), p_turn.level);
  end if;
end
$$;

-- note_clocks: moves the clocks of the tenants whose tasks p_turns were taken, and the level.
-- Requires the model's lock.
create or replace function sluice.note_clocks(p_model int, p_turns sluice.turn[]) returns void
language plpgsql volatile
as $$
begin
  insert into sluice.tenant_clock (model, rank, tenant, n, v)
  select p_model, c.aged, c.tenant, nextval('sluice.mark_id'), c.v
  from (select t.aged, t.tenant, max(t.finish) as v from unnest(p_turns) t group by t.aged, t.tenant
        union all
        select l.aged, sluice.level_key(), l.level
        from (select t.aged, max(t.level) as level from unnest(p_turns) t group by t.aged) l
        where l.level > coalesce(sluice.clock_of(p_model, l.aged, sluice.level_key()), 0)) c;
end
$$;
