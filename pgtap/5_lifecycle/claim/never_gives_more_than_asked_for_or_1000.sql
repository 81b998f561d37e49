-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 1200) \g /dev/null
select is(cardinality(claimed(:w, 0)), 0, 'none, if none is asked for');
select is(cardinality(claimed(:w, -5)), 0, 'a negative number is none');
select is(cardinality(claimed(:w, 7)), 7, 'seven');
select is(cardinality(claimed(:w, 100000)), 1000, 'at most 1,000 at once');

select * from finish();
rollback;
