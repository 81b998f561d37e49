begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_worker(array[:'a']) as w \gset
select given_worker() as all \gset
select given_task(:'a') as ta \gset
select given_task(:'b') as tb \gset
select is_empty(format('select * from sluice.claim(%s, array[%L], 10, at(1))', :w, :'b'),
  'not those it did not register for');
select is(claimed(:w, 10), array[:ta]::bigint[], 'only its own');
select results_eq(format('select task_id from sluice.claim(%s, array[%L], 10, at(1))', :all, :'b'),
  array[:tb]::bigint[], 'and of these only those it asks for');

select * from finish();
rollback;
