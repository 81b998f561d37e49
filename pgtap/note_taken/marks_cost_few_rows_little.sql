begin;
\ir ../_helpers.sql
select plan(1);

-- The chance is taken / 1,000: of 200 claims of one row, 0.2 lanes are expected; ten would be a billionth of a billionth.
select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 1, priority => n) from generate_series(-100, 99) n \g /dev/null
select claimed(:w, 1) from generate_series(1, 200) \g /dev/null
select cmp_ok((select count(*) from sluice.lane where line = 'queue_' || id_of(:'m')), '<', 10::bigint,
  'lanes that give one row each get no mark');

select * from finish();
rollback;
