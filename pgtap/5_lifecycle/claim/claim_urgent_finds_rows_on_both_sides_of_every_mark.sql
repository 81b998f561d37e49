begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m', p_now => at(10)) as cold \gset
select given_task(:'m', priority => 9, p_now => at(10)) as above \gset
select given_task(:'m', priority => 5, p_now => at(10)) as marked \gset
select given_task(:'m', priority => 1, p_now => at(10)) as below \gset
select given_mark(:'m', at(10), -5) \g /dev/null
select given_mark(:'m', at(10), 0) \g /dev/null
select given_worker(array[:'m']) as w \gset
select is(array(select task_id from sluice.claim_urgent(:w, null, 9, at(11))),
  array[:above, :marked, :below]::bigint[], 'in their order');
select is(claimed(:w, 9, at(11)), array[:cold]::bigint[], 'marks have not passed the others');
select given_task(:'m', priority => 5, p_now => at(12)) as later \gset
select is(array(select task_id from sluice.claim_urgent(:w, null, 9, at(13))),
  array[:later]::bigint[], 'nor what comes later');

select * from finish();
rollback;
