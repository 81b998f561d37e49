-- sluice.submit
begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_model() as n \gset
update sluice.settings set max_unfinished = 4 + sluice.count_unfinished('system', null);
update sluice.models set max_unfinished = 1000 where name in (:'m', :'n');
select lives_ok(format('select given_task(m) from unnest(array[%L, %L]) m, generate_series(1, 2)',
  :'m', :'n'), 'four over two models');
select * from error_of(format('select given_task(%L)', :'m')) \gset
select is(:'code'::text, 'SL003', 'no fifth');
select matches(:'message'::text, '^the queue is full: \d+ of \d+ unfinished$', :'message'::text);
select is((error_of(format('select given_tasks(%L, 1)', :'m'))).code, 'SL003',
  'nor by submit_many');

select * from finish();
rollback;
