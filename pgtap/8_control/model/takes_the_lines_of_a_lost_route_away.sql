-- sluice.after_route_changes
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select own_line(:'r') as line \gset
delete from sluice.routes where route = :'r' and model = :'a';
set constraints all immediate;
select is(own_line(:'r'), :line, 'while it has a model they stay');
set constraints all deferred;
delete from sluice.routes where route = :'r';
select is(own_line(:'r'), :line, 'until the commit, too');
set constraints all immediate;
select is(own_line(:'r'), null, 'then they go');
select hasnt_table('sluice', ('queue_' || sluice.line_name(:line))::name, 'with their tables');

select * from finish();
rollback;
