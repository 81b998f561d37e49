begin;
\ir ../_helpers.sql
select plan(17);

select given_model() as m \gset
set local role sluice_submitter;
select sluice.submit('x', :'m') as t \gset
select sluice.submit_many(format('[{"prompt": "x", "model": "%s"}]', :'m')::jsonb) as u \gset
select ok(:t > 0 and :u > 0, 'it submits');
select is((select status from sluice.task(:t)), 'queued', 'asks for a task');
select is(sluice.cancel(:t), 'cancelled', 'and cancels it');
select throws_ok('select from sluice.' || c, '42501', null, c || ' is closed to it')
from unnest(array['task', 'result', 'queue', 'later', 'lease', 'models', 'idempotency',
  'worker']) c;
select throws_ok(c, '42501', null, c || ' is not for it')
from unnest(array['select sluice.claim(1)', 'select sluice.pause(''m'')',
  'select sluice.keep_key(''t'', ''k'', ''c'', 1)',
  'select sluice.tick()', 'select sluice.set_counter(''bucket'', 1, 0)',
    'delete from sluice.task']) c;

select * from finish();
rollback;
