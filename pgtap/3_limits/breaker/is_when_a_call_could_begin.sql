begin;
\ir ../../_helpers.sql
select plan(7);

create function opens_at(p_model text, p_now timestamptz) returns timestamptz language sql
as 'select sluice.opens_at(m, p_now) from sluice.models m where m.name = p_model';
select given_model(rpm => 60, max_in_flight => 1) as m \gset
select given_worker() as w \gset
select is(opens_at(:'m', at(0)), at(0), 'now');
select given_tasks(:'m', 2) \g /dev/null
select (claimed(:w, 1, at(1)))[1] as t \gset
select ok(opens_at(:'m', at(1)) between at(1.8) and at(2.2), 'no permit: with the next');
select is(opens_at(:'m', at(3)), 'infinity', 'full: when a call ends');
select completed(:w, told(:t, 'solved')) \g /dev/null
select is(opens_at(:'m', at(3)), at(3), 'it has ended');
select sluice.close_model(:'m', at(50));
select is(opens_at(:'m', at(3)), at(50), 'closed: when that ends');
select sluice.close_model(:'m', 'infinity');
select is(opens_at(:'m', at(3)), 'infinity', 'parked: nobody knows');
select sluice.resume(:'m'), sluice.pause(:'m') \g /dev/null
select is(opens_at(:'m', at(3)), 'infinity', 'paused: nobody knows');

select * from finish();
rollback;
