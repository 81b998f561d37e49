-- sluice.mark_of
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is(marked(:'m'), '-infinity', 'none yet');
select given_mark(:'m', at(5)), given_mark(:'m', at(-5)) \g /dev/null
select is(marked(:'m'), at(-5), 'down as well as up');
select is(marked(:'m', 1), '-infinity', 'of this lane alone');

select * from finish();
rollback;
