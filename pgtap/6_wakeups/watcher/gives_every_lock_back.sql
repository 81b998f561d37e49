begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() from generate_series(1, 3) \g /dev/null
select given_worker() as w \gset
select locks as held from sluice.take_sleeper_locks(:w, '{}', at(0)) \gset
select is(cardinality(held_locks()), 6, 'three and their opening locks are held');
select sluice.drop_sleeper_locks(:'held');
select is(held_locks(), '{}', 'none is left');
select lives_ok($$select sluice.drop_sleeper_locks('{}')$$, 'none to give back is no error');

select * from finish();
rollback;
