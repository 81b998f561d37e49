-- sluice.make_line
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select has_table('sluice', ('queue_' || sluice.line_name(own_line(:'r')))::name, 'its table');
select has_sequence('sluice', ('waits_' || sluice.line_name(own_line(:'r')))::name, 'its gauge');
select * from finish();
rollback;
