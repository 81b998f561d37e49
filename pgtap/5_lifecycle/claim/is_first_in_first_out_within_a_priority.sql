-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', p_now => at(0.3)) as third \gset
select given_task(:'m', p_now => at(0.1)) as first \gset
select given_task(:'m', p_now => at(0.2)) as second \gset
select is(claimed(:w, 10), array[:first, :second, :third]::bigint[],
  'by the time they became ready');
select given_tasks(:'m', 300, at(2)) as ids \gset
select is(claimed(:w, 1000, at(3)), :'ids'::bigint[], 'at one time by id');

select * from finish();
rollback;
