-- sluice.may_take
begin;
\ir ../../_helpers.sql
\ir ../../4_policy/routing/_served.sql
select plan(4);

-- a: out of permits after its burst of one; b: no limit.
select given_model(rpm => 60) as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'r', 3000) \g /dev/null
select given_tasks(:'a', 20) \g /dev/null
-- After each round of claims a has no permit, and b what is left of the slots.
create function rounds(p_a text, p_b text, p_route text, p_worker bigint, out unused int,
  out short int) language plpgsql
as $$
declare
  v_before int;
begin
  unused := 0;
  short := 0;
  for v_round in 1 .. 40 loop
    v_before := cardinality(queued(p_route));
    perform served(p_worker, array[p_a, p_b], 1, 100, v_round * 0.25);
    unused := unused + sluice.permits_now(quota_of(p_a), at(v_round * 0.25 + 0.25));
    short := short + case when v_before - cardinality(queued(p_route)) < least(v_before, 99)
      then 1 else 0 end;
  end loop;
end
$$;
select * from rounds(:'a', :'b', :'r', :w) \gset
select is(cardinality(queued(:'r')), 0, 'nothing of the route waits for it');
select is(:unused, 0, 'it has used its permits');
select is(:short, 0, 'the other has not waited');
select cmp_ok((select count(*) from sluice.result where model = :'b'), '>', 2900::bigint,
  'and has done the rest');

select * from finish();
rollback;
