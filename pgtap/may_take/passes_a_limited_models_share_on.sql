begin;
\ir ../_helpers.sql
\ir ../may_take/_helpers.sql
select plan(3);

-- a: out of permits after its burst of one; b: no limit.
select given_model(rpm => 60) as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'r', 3000) \g /dev/null
select given_tasks(:'a', 20) \g /dev/null
select served(:w, array[:'a', :'b'], 40, 100) \g /dev/null
select is(cardinality(queued(:'r')), 0, 'nothing of the route waits for it');
select cmp_ok((select count(*) from sluice.result where model = :'a') + sluice.in_flight(id_of(:'a')), '>=', 8::bigint,
  'it has used its permits');
select cmp_ok((select count(*) from sluice.result where model = :'b'), '>', 2900::bigint, 'the other has done the rest');

select * from finish();
rollback;
