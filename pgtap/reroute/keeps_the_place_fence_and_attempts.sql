begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.routes set weight = 0 where route = :'r' and model = :'b';
select given_worker(array[:'a']) as w \gset
select given_task(:'r', priority => 7, p_now => at(3), deadline => at(1000)) as t \gset
select claimed(:w, 1, at(4)) \g /dev/null
select completed(:w, told(:t, 'returned'), at(4)) \g /dev/null
update sluice.routes set weight = 1 where route = :'r';
select sluice.pause(:'a');
select is(sluice.reroute(id_of(:'a'), at(10)), 1, 'it goes back');
select results_eq(format('select ready_at, rank::int, fence, attempts::int, deadline, due, tenant from sluice.backlog
                          where task_id = %s', :t),
  $$values (at(3), -7, 1, 0, at(1000), true, 'default')$$, 'to the place where it began to wait, with fence and attempts');

select * from finish();
rollback;
