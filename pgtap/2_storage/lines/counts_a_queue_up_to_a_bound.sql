begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select is(sluice.depth(id_of(:'m'), 100), 0, 'an empty queue');
select given_tasks(:'m', 5, priority => n) from generate_series(-1, 1) n \g /dev/null
select is(sluice.depth(id_of(:'m'), 100), 15, 'all ranks count');
select is(sluice.depth(id_of(:'m'), 7), 7, 'no more than asked for');
select is(sluice.depth(id_of(:'m')), 15, 'without a bound all');

select * from finish();
rollback;
