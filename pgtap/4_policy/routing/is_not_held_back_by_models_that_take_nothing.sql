-- sluice.may_take
begin;
\ir ../../_helpers.sql
select plan(9);

-- b has a line of its own beside its route's, which it prefers; a has the route only. Each has a
-- worker of its own. p_rounds times both claim 20 each, a tenth of a second apart. Returns: how
-- many claims of a gave less than 20 although the route's tasks waited.
create function idle_claims(p_route text, p_a bigint, p_b bigint, p_rounds int, p_start numeric,
  out idle int, out routed_b int)
language plpgsql
as $$
declare
  v_got int;
begin
  idle := 0;
  for v_round in 1 .. p_rounds loop
    v_got := cardinality(claimed(p_a, 20, at(p_start + v_round * 0.1)));
    idle := idle + case when v_got < 20 and cardinality(queued(p_route)) > 0 then 1 else 0 end;
    perform claimed(p_b, 20, at(p_start + v_round * 0.1 + 0.05));
  end loop;
  routed_b := (select count(*) from sluice.lease where worker = p_b and line < 0);
end
$$;

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a']) as wa, given_worker(array[:'b']) as wb \gset
select given_tasks(:'r', 900) \g /dev/null
select count(sluice.submit('q', :'b', priority => 10, p_now => at(0)))
from generate_series(1, 900) \g /dev/null
select * from idle_claims(:'r', :wa, :wb, 40, 1) \gset
select is(:idle, 0, 'a sibling that has tasks of a higher priority');
select is(:routed_b, 0, 'takes none of the route''s meanwhile');
select is((select count(*) from sluice.lease where worker = :wa), 800::bigint,
  'which are all for the other');

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a']) as wa, given_worker(array[:'b']) as wb \gset
select given_tasks(:'b', 900, at(-10)), given_tasks(:'r', 900) \g /dev/null
select * from idle_claims(:'r', :wa, :wb, 40, 1) \gset
select is(:idle, 0, 'one that has older ones of the same tenant');
select is(:routed_b, 0, 'takes none either');
-- b has 100 of its own left: then it takes its share, as far behind as it was.
select given_tasks(:'r', 2000, at(6)) \g /dev/null
select idle_claims(:'r', :wa, :wb, 5, 6) \g /dev/null
select count(*) as a1 from sluice.lease where worker = :wa \gset
select count(*) as b1 from sluice.lease where worker = :wb \gset
update sluice.routes set weight = 3 where route = :'r' and model = :'b';
select idle_claims(:'r', :wa, :wb, 60, 7) \g /dev/null
select count(*) - :a1 as a2 from sluice.lease where worker = :wa \gset
select count(*) - :b1 as b2 from sluice.lease where worker = :wb \gset
select ok(:b2 > 1000 and abs(100.0 * :a2 / (:a2 + :b2) - 25) < 5,
  format('as soon as it takes them, they are shared: %s and %s', :a2, :b2));

-- A limited sibling: a permit in 100 ms, claims four times a second.
select given_model() as free, given_model(rpm => 600) as slow \gset
select given_route(:'free', :'slow') as r \gset
select given_worker(array[:'free']) as wf, given_worker(array[:'slow']) as ws \gset
select given_tasks(:'r', 3000) \g /dev/null
create function short_claims(p_free bigint, p_slow bigint, p_rounds int, out short int,
  out permits int) language plpgsql
as $$
begin
  short := 0;
  permits := 0;
  for v_round in 1 .. p_rounds loop
    permits := permits + cardinality(claimed(p_slow, 50, at(v_round * 0.25)));
    for v_part in 1 .. 4 loop
      short := short + case when cardinality(claimed(p_free, 30,
          at(v_round * 0.25 + v_part * 0.06))) < 30 then 1 else 0 end;
    end loop;
  end loop;
end
$$;
select * from short_claims(:wf, :ws, 20) \gset
select is(:short, 0, 'nor by one that is at its limit');
select cmp_ok(:permits, '>=', 40, 'which takes what it may');
-- Both in one claim.
select given_worker(array[:'free', :'slow']) as w \gset
select is((select sum(cardinality(claimed(:w, 100, at(6 + n * 0.25))))
  from generate_series(1, 4) n), 400::bigint, 'nor in one claim');

select * from finish();
rollback;
