-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(max_attempts => 50) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 20) as ids \gset
select claimed(:w, 20, at(1)) \g /dev/null
select completed(:w, told((:'ids'::bigint[])[n], 'retry'), at(2))
from generate_series(1, 4) n \g /dev/null
select forget_counter('failures', :'m');
select completed(:w, told((:'ids'::bigint[])[n], 'retry'), at(2))
from generate_series(5, 8) n \g /dev/null
select is((select state from sluice.breaker where model = :id), 'closed',
  'four, and four again, are not eight');
select completed(:w, told((:'ids'::bigint[])[n], 'retry'), at(2))
from generate_series(9, 10) n \g /dev/null
select is((select state from sluice.breaker where model = :id), 'open',
  'but it opens all the same');
select forget_counter('failures', :'m');
select is(claimed(:w, 1, at(3)), '{}', 'the state itself stands');

select * from finish();
rollback;
