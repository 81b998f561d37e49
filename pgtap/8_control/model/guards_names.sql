-- sluice.before_route_changes
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select throws_ok(format('insert into sluice.routes (route, model) values (%1$L, %1$L)', :'m'),
  '23505', null, 'a route cannot have the name of a model');
select throws_ok(format('insert into sluice.routes (route, model) values (''x'', %L || ''?'')',
  :'m'), '23503', null, 'nor lead to a model that there is not');

select * from finish();
rollback;
