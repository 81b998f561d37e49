begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'m') \g /dev/null
select given_mark(:'m', at(10)), given_mark(:'m', at(0), 0, 'other') \g /dev/null
select given_task(:'m', tenant => 'other') \g /dev/null
select is(sluice.rescan_line(id_of(:'m'), at(11)), 1, 'one lane');
select is(marked(:'m'), at(0), 'to the row');
select is(marked(:'m', 0, 'other'), at(0), 'not one below all rows');

select * from finish();
rollback;
