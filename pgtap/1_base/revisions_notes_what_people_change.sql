begin;
\ir ../_helpers.sql
select plan(13);

select given_tenant('sluice_admin') as a \gset
set local session authorization :"a";
insert into sluice.models (name, url, secret) values (:'a', 'http://h', 'env:KEY');
update sluice.models set rpm = 600 where name = :'a';
update sluice.models set rpm = 600 where name = :'a';
select sluice.configure('models', :'a', '{"tpm": 7000}', false),
  sluice.configure_route('route-' || :'a', jsonb_build_object(:'a', 1)),
  sluice.configure_route('route-' || :'a', jsonb_build_object(:'a', 2)) \g /dev/null
select sluice.pause(:'a'), sluice.close_model(:'a', 'infinity', 'bill') \g /dev/null
update sluice.tenants set weight = 2 where name = :'a';
update sluice.settings set retention = '31 days';
reset session authorization;
create function noted(p_who text, p_kind text, p_action text) returns setof text[] language sql
as $$
  select array[name, before::text, after::text] from sluice.revision
  where who = p_who and kind = p_kind and action = p_action order by id
$$;
select is((select array[name, after ->> 'secret', after ->> 'id'] from sluice.revision
  where who = :'a' and kind = 'models' and action = 'insert'), array[:'a', 'env:KEY', null],
  'a new model, without hidden columns');
select is(array(select n[2:3] from noted(:'a', 'models', 'update') n)::text[][],
  array[array['{"rpm": null}', '{"rpm": 600}'], array['{"tpm": null}', '{"tpm": 7000}'],
    array['{"paused": false}', '{"paused": true}'],
    array['{"closed_until": null, "closed_reason": null}',
      '{"closed_until": "infinity", "closed_reason": "bill"}']],
  'the columns that changed: by plain SQL, configure, pause and close_model');
select is(array(select n from noted(:'a', 'routes', 'update') n)::text[][],
  array[array['route-' || :'a', format('{"model": "%s", "weight": 1}', :'a'),
    format('{"model": "%s", "weight": 2}', :'a')]], 'a route''s, with its model');
select is(array(select n from noted(:'a', 'tenants', 'update') n)::text[][],
  array[array[:'a', '{"weight": 1}', '{"weight": 2}']], 'a tenant''s');
select is((select n[1] || n[3] from noted(:'a', 'settings', 'update') n), null,
  'settings have no name');
select is((select n[3] from noted(:'a', 'settings', 'update') n), '{"retention": "31 days"}',
  'but values');
select is((select max(api_key) from sluice.revision where who = :'a'), null, 'no key');
select set_config('sluice.api_key', '0123456789abcdef', true) \g /dev/null
update sluice.models set rpm = 60 where name = :'a';
select set_config('sluice.api_key', '', true) \g /dev/null
select is((select api_key from sluice.revision order by id desc limit 1), '0123456789abcdef',
  'or the key for which the front acted');
select sluice.resume(:'a');
select given_worker(array[:'a']) as w \gset
select given_task(:'a') as t \gset
select count(*) as before from sluice.revision where name = :'a' \gset
select claimed(:w, 1, at(2)) \g /dev/null
select completed(:w, told(:t, 'throttled', retry_after_ms => 60000), at(3)) \g /dev/null
select ok((select closed_until > at(3) from sluice.models where name = :'a'),
  'a worker closes a model');
select is((select count(*) from sluice.revision where name = :'a'), :before::bigint,
  'which is no revision');
select sluice.resume(:'a');
select is((select after from sluice.revision order by id desc limit 1),
  '{"closed_until": null, "closed_reason": null}', 'that a person opens it is');
set local session authorization :"a";
select is((select count(*) > 0 from sluice.revisions where name = :'a'), true,
  'an administrator reads them');
reset session authorization;
select set_config('sluice.api_key', 'fedcba9876543210', true) \g /dev/null
select is_empty('select * from sluice.revisions', 'not through a key without scope admin');
-- note_revision, revision_key

select * from finish();
rollback;
