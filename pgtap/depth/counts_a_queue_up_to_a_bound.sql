begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select is(sluice.depth(id_of(:'m'), 100), 0, 'an empty queue');
select given_tasks(:'m', 5, priority => n) from generate_series(-1, 1) n \g /dev/null
select is(sluice.depth(id_of(:'m'), 100), 15, 'all ranks count');
select is(sluice.depth(id_of(:'m'), 7), 7, 'no more than asked for');
select given_mark(:'m', 0) as lane \gset
select is(sluice.depth(id_of(:'m'), 100), 15, 'a new lane hides nothing');
select sluice.set_mark(:lane, at(0.5));
select is(sluice.depth(id_of(:'m'), 100), 10, 'what lies below a mark is not walked');

select * from finish();
rollback;
