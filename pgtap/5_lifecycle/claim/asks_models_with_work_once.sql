begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_worker(array[:'a', :'b', :'c']) as w \gset
select given_task(m) from unnest(array[:'a', :'b', given_route(:'c')]) m \g /dev/null
set local track_functions = 'all';
select is(cardinality(sluice.open_models(:w, null, at(1))), 3, 'three have work');
select is((select calls from pg_stat_xact_user_functions
  where funcname = 'models_with_work'), 1::bigint,
  'which is asked once, not for each of 1,000 models');

select * from finish();
rollback;
