-- sluice.take_hedge
-- sluice.hedge_calls_left
\set alone
begin;
\ir ../../_helpers.sql
select plan(7);

-- taken: how many extra calls begin when p_tries are asked for after p_calls more calls.
create function taken(p_calls int, p_tries int, p_budget real) returns int language plpgsql
as $$
declare
  v_taken int := 0;
begin
  perform nextval('sluice.hedge_calls') from generate_series(1, p_calls);
  for v_try in 1..p_tries loop
    v_taken := v_taken + sluice.take_hedge(p_budget)::int;
  end loop;
  return v_taken;
end
$$;

select setval('sluice.hedge_calls', 1, false), setval('sluice.hedge_used', 1, false) \g /dev/null
select is(taken(0, 1, 1), 0, 'none without a call');
select is(taken(1, 3, 0.08), 1, 'one of few');
select is(taken(99, 100, 0.08), 7, 'of 100 calls eight');
select is(taken(100, 100, 0.02), 2, 'each of a smaller budget uses up more');
select is(taken(100, 1, 0) + taken(0, 1, 1e-30::real), 0, 'a budget of none has none');
select setval('sluice.hedge_calls', 1000000) \g /dev/null
select is(taken(0, 200, 0.08), 80, 'what is saved up is that of 1,000 calls');
select is(taken(12, 1, 0.08) + taken(0, 1, 0.08), 1, 'then it is earned call by call');

select setval('sluice.hedge_calls', 1, false), setval('sluice.hedge_used', 1, false) \g /dev/null
select * from finish();
rollback;
