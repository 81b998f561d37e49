-- sluice.before_settings_change
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select given_route(:'m') as r \gset
create function set_to(p_name text) returns text language sql
as $$ select coalesce(code, 'set')
  from error_of(format('update sluice.settings set default_model = %L', p_name)) $$;
select is(set_to(:'m'), 'set', 'a model');
select is(set_to(:'r'), 'set', 'a route');
select is(set_to('any'), 'set', 'route any, though it has no model yet');
select is(set_to(null), 'set', 'nothing');
select is(set_to('nobody'), 'SL001', 'nothing else');
select is(set_to(''), 'SL001', 'not even an empty name');

select * from finish();
rollback;
