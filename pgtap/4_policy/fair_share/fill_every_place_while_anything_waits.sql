-- sluice.fair_turns
begin;
\ir ../../_helpers.sql
\ir _fair_turns.sql
select plan(5);

select given_model() as m \gset
select waits(:'m', 'tenant ' || n, 1 + n % 7, 1 + 97 * (n % 5), n % 3)
from generate_series(1, 100) n \g /dev/null
select is((select count(*) from turns(:'m', 1)), 1::bigint, 'one place');
select is((select count(*) from turns(:'m', 17)), 17::bigint, 'some places');
select is((select count(distinct task_id) from turns(:'m', 333)), 333::bigint,
  'many places, no task twice');
select is((select count(*) from turns(:'m', 1000)),
  (select count(*) from sluice.queue where model = id_of(:'m')),
  'more places than tasks: all of them, idle capacity is never held back');
select is((select count(*) from turns(:'m', 0)), 0::bigint, 'no place');

select * from finish();
rollback;
