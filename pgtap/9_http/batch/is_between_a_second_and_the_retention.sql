begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() \g /dev/null
update sluice.settings set retention = '7 days';
select is(sluice.window_of('24h'), interval '1 day', 'OpenAI''s');
select is(sluice.window_of('1 s'), interval '1 s', 'the least');
select is(sluice.window_of('7 days'), interval '7 days', 'the most');
select is((error_of('select sluice.window_of(''7 days 1 s'')')).code, 'SL004',
  'longer than results are kept for');
select is((error_of('select sluice.window_of(''999 ms'')')).code, 'SL004', 'too short');
select is((error_of('select sluice.window_of(''-24h'')')).code, 'SL004', 'before it begins');
select is((error_of('select sluice.window_of(null)')).code, 'SL004', 'missing');
select is_empty($$select w
  from unnest(array['soon', '', '24', 'infinity', '99999999999999 years']) w
  where (error_of(format('select sluice.window_of(%L)', w))).code is distinct from 'SL004'$$,
    'no time');
update sluice.settings set retention = '90 days';
select is((error_of('select sluice.window_of(''31 days'')')).code, 'SL004',
  'never longer than 30 days');

select * from finish();
rollback;
