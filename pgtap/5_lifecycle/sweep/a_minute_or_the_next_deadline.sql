begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select is(sluice.rest_until(at(0)), at(60), 'a minute');
select given_wait(at(900), given_task(:'m', deadline => at(500), run_at => at(30)),
  given_task(:'m', deadline => at(40), run_at => at(30))) \g /dev/null
select is(sluice.rest_until(at(10)), at(40), 'the next deadline');
select is(sluice.rest_until(at(50)), at(110), 'one that is past was found by the sweep');

select * from finish();
rollback;
