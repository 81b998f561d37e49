-- sluice.accept
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(max_queue => 3, rpm => 60) as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2), given_task(:'m') \g /dev/null
select code, message, hint from error_of(format('select given_task(%L)', :'m')) \gset
select is(:'code'::text, 'SL003', 'a fourth is refused');
select matches(:'message'::text, '3 of 3 may wait \(max_queue\)', 'with the numbers');
select matches(:'hint'::text, 'about [0-9]+ s', 'and a time');
select is((error_of(format('select given_tasks(%L, 2)', :'m'))).code, 'SL003', 'so are many');
select claimed(:w, 1) \g /dev/null
select lives_ok(format('select given_task(%L)', :'m'), 'what was claimed has made room');
update sluice.models set max_queue = null where name = :'m';
select lives_ok(format('select given_tasks(%L, 100)', :'m'), 'without a bound any number');

select * from finish();
rollback;
