-- sluice.after_route_is_renamed
begin;
\set alone
\ir ../_helpers.sql
select plan(6);

select given_model() as m, given_model() as other \gset
select given_route(:'m', :'other') as r \gset
insert into sluice.payload_schema (target, version) values (:'r', 'v1');
insert into sluice.tenants (name, models) values ('t', array[:'r', 'x']);

update sluice.routes set route = :'r' || '-new' where route = :'r' and model = :'m';
select is((select target from sluice.payload_schema), :'r', 'a route with a model keeps them');
update sluice.routes set route = :'r' || '-new' where route = :'r';
select is((select target from sluice.payload_schema), :'r' || '-new',
  'one without has another name, and they follow');
select is((select count(*) from sluice.route_line where version = 'v1' and route = :'r'), 0::bigint,
  'with their lines');
select is((select models from sluice.tenants where name = 't'), array[:'r' || '-new', 'x'],
  'and so do the tenants that may use it');
select isnt(sluice.submit('x', :'r' || '-new', schema_version => 'v1'), null,
  'tasks of the version are taken');
select is((error_of(format('update sluice.routes set route = ''again'' where route = %L',
  :'r' || '-new'))).code, '23503', 'while such tasks wait, it stays');

select * from finish();
rollback;
