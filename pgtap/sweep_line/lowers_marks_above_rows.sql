begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m') \g /dev/null
select given_mark(:'m', at(10)), given_mark(:'m', at(10), 3) \g /dev/null
select is(sluice.sweep_line(id_of(:'m'), at(11)), 1, 'one lane');
select is(marked(:'m'), at(0), 'to the row');
select is(marked(:'m', 3), at(10), 'not one that is empty');

select * from finish();
rollback;
