begin;
\ir ../_helpers.sql
select plan(4);

select given_model(max_queue => 64) as a \gset
select given_model(max_queue => 64) as b \gset
select given_route(:'a', :'b') as r \gset
select sluice.set_counter('room', id_of(m), 64) from unnest(array[:'a', :'b']) m \g /dev/null
select given_tasks(:'r', 100) \g /dev/null
select is(sluice.admit(:'a', null, at(1)), 64, 'one takes what it can');
select is(sluice.admit(:'b', null, at(1)), 36, 'the other the rest');
select is((select count(distinct model) from sluice.queue where model in (id_of(:'a'), id_of(:'b'))), 2::bigint,
  'each in its own queue');
select is_empty(format('select * from sluice.backlog where route = %L', :'r'), 'none waits');

select * from finish();
rollback;
