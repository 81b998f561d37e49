begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select ok(array[id_of(:'m'), own_line(:'r')] <@ sluice.all_lines(), 'both');

select * from finish();
rollback;
