-- sluice.set_mark
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_mark(:'m', at(5)), given_mark(:'m', at(-5)) \g /dev/null
select is(marked(:'m'), at(-5), 'down as well as up');

select * from finish();
rollback;
