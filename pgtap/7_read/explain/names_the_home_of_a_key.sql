begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_model() as other \gset
select given_route(:'m', :'other') as r \gset
insert into sluice.route_line (route, model) values (:'r', id_of(:'m')) returning -n as home \gset
select is(sluice.home_text(:home), format(' (home: %s)', :'m'), 'of a home''s line');
select is(sluice.home_text(own_line(:'r')), null, 'of no other');
select is(sluice.home_text(id_of(:'m')), null, 'nor of a model''s own');
insert into sluice.route_line (route, model) values (:'r', 2147483647) returning -n as gone \gset
select is(sluice.home_text(:gone), ' (home: a deleted model)', 'whatever has become of it');

select * from finish();
rollback;
