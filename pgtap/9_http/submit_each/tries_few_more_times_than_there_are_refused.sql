begin;
\ir ../../_helpers.sql
select plan(6);

-- Refuses a group with a body "bad". No transaction undoes the count of its calls.
create temporary sequence calls;
grant usage on calls to public;
create or replace function sluice.submit_bodies(
  p_bodies text[], p_tenants text[], p_keys text[], p_traceparents text[], p_api_keys text[],
  p_now timestamptz)
returns table (id bigint, model text)
language plpgsql volatile
as $$
begin
  perform nextval('pg_temp.calls');
  if 'bad' = any (p_bodies) then
    raise exception 'bad' using errcode = 'SL004';
  end if;
  return query select 7::bigint, b from unnest(p_bodies) b;
end
$$;

-- outcome: how many are refused of those with these bodies, and after how many calls.
create function outcome(p_bodies text[], out refused bigint, out calls bigint) language plpgsql
as $$
declare
  v_before bigint := nextval('pg_temp.calls');
begin
  refused := (select count(*) filter (where code = 'SL004') from sluice.submit_each(p_bodies,
    array_fill(null::text, array[cardinality(p_bodies)]),
    array_fill(null::text, array[cardinality(p_bodies)]), p_now => at(0)));
  calls := nextval('pg_temp.calls') - v_before - 1;
end
$$;

select is(outcome(array_fill('x'::text, array[32])), row(0::bigint, 1::bigint), 'once if none is');
select is(outcome('{bad}'), row(1::bigint, 1::bigint), 'once if it is alone');
select is(outcome(array_fill('bad'::text, array[32])), row(32::bigint, 35::bigint), 'all are');
select is(max(o.refused), 1::bigint, 'one of 32, wherever')
from generate_series(1, 32) n, outcome(array(select case g when n then 'bad' else 'x' end
  from generate_series(1, 32) g)) o;
select cmp_ok(max(o.calls), '<=', 16::bigint, 'in 16 calls at most')
from generate_series(1, 32) n, outcome(array(select case g when n then 'bad' else 'x' end
  from generate_series(1, 32) g)) o;
select cmp_ok((outcome(array(select case g % 2 when 0 then 'bad' else 'x' end
  from generate_series(1, 32) g))).calls, '<=', 52::bigint, 'each other one');

select * from finish();
rollback;
