begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_route(:'m') as r \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'r', p_now => at(0)) as t \gset
select given_mark(:'r', at(10)) \g /dev/null
select is(claimed(:w, 9, at(11)), '{}', 'the mark hides it');
select is(sluice.sweep(at(11)), 1, 'the sweep finds it');
select is(claimed(:w, 9, at(11)), array[:t]::bigint[], 'and claims do then');

select * from finish();
rollback;
