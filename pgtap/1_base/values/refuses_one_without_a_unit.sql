begin;
\ir ../../_helpers.sql
select plan(9);

select throws_ok($$ select sluice.check_durations('settings', '{"retention": 7}') $$, 'SL004',
  'retention 7 has no unit', 'a number');
select throws_ok($$ select sluice.check_durations('settings', '{"ageing": " +7.5 "}') $$, 'SL004',
  'ageing " +7.5 " has no unit', 'a text');
select throws_ok($$ select sluice.check_durations('settings', '{"ageing": "1e3"}') $$, 'SL004',
  'ageing "1e3" has no unit', 'an exponent');
select throws_ok($$ select sluice.check_durations('models', '{"rpm": 60, "timeout": 20}') $$,
  'SL004', 'timeout 20 has no unit', 'a model');
select throws_ok($$ select sluice.configure('settings', null, '{"retention": 7}', false) $$,
  'SL004', 'retention 7 has no unit', 'configure asks it');
select lives_ok($$ select sluice.check_durations('models',
  '{"batch_wait": 0, "backoff_base": "0.0"}') $$, '0 is 0 of everything');
select lives_ok($$ select sluice.check_durations('models',
  '{"hedge_after": null, "timeout": "00:05:00"}') $$, 'null; what is shown');
select lives_ok($$ select sluice.check_durations('models',
  '{"timeout": "P1D", "batch_wait": "500ms"}') $$, 'other forms');
select lives_ok($$ select sluice.check_durations('tenants', '{"weight": 2}') $$,
  'numbers elsewhere');

select * from finish();
rollback;
