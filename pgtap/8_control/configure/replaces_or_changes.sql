begin;
\ir ../../_helpers.sql
select plan(17);

select is(sluice.configure('models', 'nobody', '{"rpm": 1}', false), null,
  'a change makes nothing');
select is(sluice.configure('models', 'new', '{"url": "http://h", "rpm": 60, "timeout": "5 s"}',
  true) - array['name', 'url'] @>
  '{"rpm": 60, "timeout": "00:00:05", "max_attempts": 3}', true,
    'a replacement makes it, with defaults');
select sluice.pause('new');
select is(sluice.configure('models', 'new', '{"tpm": 1000}', false) ->> 'rpm', '60',
  'a change leaves the others alone');
select is(sluice.configure('models', 'new', '{"tpm": null}', false) -> 'tpm', 'null',
  'null takes a limit away');
select is((sluice.configure('models', 'new', '{"url": "http://i"}', true) ->> 'rpm'), null,
  'a replacement gives defaults');
select ok((select paused and url = 'http://i' from sluice.models where name = 'new'),
  'and leaves a pause alone');
select throws_ok($$select sluice.configure('models', 'new', '{"colour": 1}', false)$$, 'SL004',
  'unknown key "colour"', 'unknown');
select ok((sluice.configure('models', 'new', '{"url": "http://i", "paused": false}',
  true) -> 'paused') = 'false', 'which it may give');
select throws_ok($$select sluice.configure('models', 'new', '[]', true)$$, 'SL004', null,
  'no object');
select throws_ok($$select sluice.configure('routes', 'x', '{}', true)$$, 'SL004', null,
  'of models, tenants and settings only');
select is(sluice.configure('models', 'new', '{"name": "newer"}', false) ->> 'name', 'newer',
  'a change renames');
select throws_ok($$select sluice.configure('models', 'newer', '{"name": "x", "url": "http://i"}',
  true)$$, 'SL004', null, 'a replacement does not');
select is(sluice.configure('settings', null, '{"retention": "2 days"}', false) ->> 'retention',
  '2 days', 'the settings');
select is(sluice.configure('settings', null, '{}', true) ->> 'retention', '30 days',
  'and their defaults');
create function refusal(p_settings jsonb) returns text language plpgsql
as $$
declare
  v_key text;
begin
  perform sluice.configure('models', 'newer', p_settings, false);
  return 'none';
exception when others then
  get stacked diagnostics v_key = column_name;
  return concat_ws(' | ', sqlstate, v_key, sqlerrm);
end
$$;
select is(refusal('{"tpm": 5, "rpm": "many"}'),
  'SL004 | rpm | rpm "many" is not a whole number up to 2147483647', 'key and value');
select is(refusal('{"api": "soap"}'), '23514 | api | there is no api "soap"', 'an api');
select is(refusal('{"url": null}'),
  '23502 | url | null value in column "url" of relation "models" violates not-null constraint',
  'null');

select * from finish();
rollback;
