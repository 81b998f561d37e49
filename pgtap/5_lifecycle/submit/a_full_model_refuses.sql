-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model(rpm => 60) as m \gset
update sluice.models set max_unfinished = 100 where name = :'m';
select given_worker(array[:'m']) as w \gset
select count(given_task(:'m')) from generate_series(1, 95) \g /dev/null
select is((select unfinished || ' ' || pressure from sluice.queues where model = :'m'),
  '95 overflow', 'overflow');
select * from error_of(format('select given_task(%L)', :'m')) \gset
select is(:'code'::text, 'SL003', 'the next one is refused');
select is(:'message'::text, format('model "%s" is full: 95 of 100 unfinished', :'m'),
  'with the numbers');
select is(:'hint'::text, 'Try again in about 2 s.', 'and with how long one permit takes');
select is((select count(*) from sluice.task where model = id_of(:'m')), 95::bigint,
  'and leaves nothing behind');
select completed(:w, told(t, 'solved')) from unnest(claimed(:w, 1)) t \g /dev/null
select lives_ok(format('select given_task(%L)', :'m'),
  'room that one task leaves is taken at once');
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003', 'by one');

select * from finish();
rollback;
