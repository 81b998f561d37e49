-- sluice.is_left_to_earlier, sluice.may_take, sluice.note_routed
begin;
\ir ../../_helpers.sql
select plan(15);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.routes set tier = 2 where route = :'r' and model = :'b';
select given_worker(array[:'a', :'b']) as w, given_worker(array[:'b']) as w_b \gset
select given_tasks(:'r', 10) \g /dev/null
-- took: which models' calls one claim began.
create function took(p_worker bigint, p_now timestamptz, p_max int default 2) returns text
language sql as $$
  select coalesce(string_agg(distinct c.model, ' ' order by c.model), 'none')
  from sluice.claim(p_worker, null, p_max, p_now) c
$$;
select is(took(:w, at(1)), :'a', 'the first tier takes the tasks');
select is(took(:w, at(1.1), 40), :'a', 'however many, with no slack for the second');
select given_tasks(:'r', 100, at(1.4)) \g /dev/null
select is(sluice.is_left_to_earlier(own_line(:'r'), 2, at(1.5)), true, 'it would take more');
select is(took(:w_b, at(1.5)), 'none', 'another worker leaves it to it, too');
select is(took(:w_b, at(2.2)), :'b', 'but not when the first has not asked for a second');
select is(took(:w, at(2.21)), :'a', 'nor');
select is(took(:w_b, at(2.22)), :'b', 'when its worker has no slot left');
select is(took(:w, at(2.23)), :'a', 'though the next slot there is for the first again');
select sluice.pause(:'a') \g /dev/null
select is(took(:w, at(2.3)), :'b', 'when it is paused');
select sluice.resume(:'a') \g /dev/null
select is(took(:w, at(2.4)), :'a', 'not when it is resumed');
select sluice.move_breaker(id_of(:'a'), 'closed', 'open', 'a test', at(2.5)) \g /dev/null
select is(took(:w, at(2.6)), :'b', 'when its breaker is open');
select sluice.move_breaker(id_of(:'a'), 'open', 'closed', 'a test', at(2.7)) \g /dev/null
select is(took(:w, at(2.8)), :'a', 'not when that is closed');
update sluice.models set rpm = 60, burst = 2 where name = :'a';
select sluice.take_permits(quota_of(:'a'), 1, at(10)) \g /dev/null
-- twice, for a claim that asks the second tier first leaves it to the next one
select took(:w, at(10), 8), took(:w, at(10.01), 8) \g /dev/null
select is((select count(*) from sluice.lease where model = id_of(:'a') and started_at >= at(10)),
  1::bigint, 'or limited: it uses its permits up');
select cmp_ok((select count(*) from sluice.lease
  where model = id_of(:'b') and started_at >= at(10)), '>=', 7::bigint,
  'and no task waits for more');
select is(took(:w_b, at(10.5), 1), :'b', 'until there is one');

select * from finish();
rollback;
