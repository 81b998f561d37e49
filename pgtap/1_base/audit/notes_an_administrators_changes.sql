-- sluice.note_configuration
begin;
\ir ../../_helpers.sql
select plan(9);

select given_tenant('sluice_admin') as a \gset
set local session authorization :"a";
insert into sluice.models (name, url, secret) values (:'a', 'http://h', 'env:KEY');
update sluice.models set rpm = 600, max_queue = null where name = :'a';
update sluice.models set rpm = 600 where name = :'a';
insert into sluice.routes (route, model) values ('route-' || :'a', :'a');
delete from sluice.routes where route = 'route-' || :'a';
update sluice.tenants set weight = 2 where name = :'a';
update sluice.settings set retention = retention + interval '1 day';
reset session authorization;
create function noted(p_who text, p_action text) returns setof sluice.audit language sql
as $$ select * from sluice.audit where who = p_who and action = p_action $$;
select is((select detail ->> 'secret' from noted(:'a', 'insert models')), 'env:KEY',
  'a new model, as it is');
select is((select array[object, detail::text] from noted(:'a', 'update models')),
  array[:'a', '{"rpm": [null, 600]}'], 'a change: the columns that differ, old and new');
select is((select object from noted(:'a', 'insert routes')), 'route-' || :'a' || ' -> ' || :'a',
  'a new route');
select is((select detail ->> 'model' from noted(:'a', 'delete routes')), :'a', 'a deleted one');
select is((select detail from noted(:'a', 'update tenants')), '{"weight": [1, 2]}', 'a tenant');
select is((select count(*) from noted(:'a', 'update settings')), 1::bigint, 'a setting');
set local session authorization :"a";
delete from sluice.models where name = :'a';
select is((select action from sluice.audit_log where object = :'a' order by id desc limit 1),
  'delete models', 'an administrator reads that a model was deleted');
reset session authorization;
select is((select count(*) from noted(:'a', 'insert routes') where object like 'any%'), 0::bigint,
  'route "any" is joined by the model itself');
select is((select count(*) from sluice.audit where who = :'a'), 7::bigint,
  'each with its name, and nothing else');

select * from finish();
rollback;
