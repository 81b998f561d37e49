begin;
\ir ../_helpers.sql
select plan(10);

select is(sluice.configure('models', 'nobody', '{"rpm": 1}', false), null, 'a change makes nothing');
select is(sluice.configure('models', 'new', '{"url": "http://h", "rpm": 60, "timeout": "5 s"}', true) - array['name', 'url'] @>
  '{"rpm": 60, "timeout": "00:00:05", "max_attempts": 3}', true, 'a replacement makes it, with defaults');
select sluice.pause('new');
select is(sluice.configure('models', 'new', '{"tpm": 1000}', false) ->> 'rpm', '60', 'a change leaves the others alone');
select is(sluice.configure('models', 'new', '{"tpm": null}', false) -> 'tpm', 'null', 'null takes a limit away');
select is((sluice.configure('models', 'new', '{"url": "http://i"}', true) ->> 'rpm'), null, 'a replacement gives defaults');
select ok((select paused and url = 'http://i' from sluice.models where name = 'new'), 'and leaves a pause alone');
select throws_ok($$select sluice.configure('models', 'new', '{"colour": 1}', false)$$, 'SL004', 'unknown key "colour"', 'unknown');
select throws_ok($$select sluice.configure('models', 'new', '{"paused": true}', true)$$, 'SL004', null, 'a state is none');
select throws_ok($$select sluice.configure('models', 'new', '[]', true)$$, 'SL004', null, 'no object');
select throws_ok($$select sluice.configure('settings', 'x', '{}', true)$$, 'SL004', null, 'of models and tenants only');

select * from finish();
rollback;
