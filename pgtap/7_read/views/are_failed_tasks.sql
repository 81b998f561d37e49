begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) \g /dev/null
select ids[1] as a, ids[2] as b from claimed(:w, 2) ids \gset
select sluice.complete(:w, array[told(:a, 'failed', error => 'HTTP 400'), told(:b, 'solved')],
  at(2)) \g /dev/null
select results_eq(format('select id, error, attempts from sluice.dead_letters where model = %L',
  :'m'), format('values (%s::bigint, ''HTTP 400''::text, 1)', :a), 'only those');

select * from finish();
rollback;
