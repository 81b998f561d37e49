-- sluice.has_deadlines, sluice.note_deadlines, sluice.rescan_deadlines, sluice.with_slack
begin;
\ir ../../_helpers.sql
select plan(19);

select given_model() as m \gset
select own_line(:'m') as line \gset
create function has(p_from numeric, p_to numeric) returns boolean language sql
as $$ select sluice.has_deadlines(own_line('model-' || pg_backend_pid() || '-1'), at(p_from),
  at(p_to)) $$;
create function noted() returns bigint language sql
as $$ select count(*) from sluice.meter where model = -7 $$;
select is(sluice.has_deadlines(:line, at(0), 'infinity'), false, 'none waits');
select given_task(:'m') \g /dev/null
select is(noted(), 0::bigint, 'a task without one notes nothing');
select given_task(:'m', deadline => at(60)) as a \gset
select is(array[has(0, 59), has(0, 61), has(59, 100)], '{f,t,t}', 'one that ends in a minute');
select given_task(:'m', deadline => at(65)) as b \gset
select is(noted(), 1::bigint, 'a little later: it says so already');
select given_task(:'m', deadline => at(75)) as c, given_task(:'m', deadline => at(30)) as d \gset
select is(array[has(0, 29), has(0, 31), has(74, 76), has(85, 100)], '{f,t,t,f}',
  'one that is much later, and one before them');
select sluice.cancel(:d), sluice.cancel(:c), sluice.cancel(:b) \g /dev/null
select is(has(0, 31), true, 'it says too much,');
select noted() as rows \gset
select sluice.rescan_deadlines(:line, at(1)) \g /dev/null
select is(array[has(0, 59), has(0, 61), has(60, 100)], '{f,t,f}', 'until it is corrected,');
select sluice.rescan_deadlines(:line, at(1)) \g /dev/null
select is(noted(), :rows + 1::bigint, 'which writes it once');
delete from sluice.meter where model = -7;
select sluice.rescan_deadlines(:line, at(1)) \g /dev/null
select is(has(0, 61), true, 'as when it is lost');
select sluice.cancel(:a) \g /dev/null
select sluice.rescan_deadlines(:line, at(1)) \g /dev/null
select is(has(0, 1e6), false, 'none waits again');
select lives_ok('select sluice.rescan_deadlines(2147483647, at(1))', 'nor where no line is');

select sluice.submit_many(jsonb_build_array(
  jsonb_build_object('prompt', 'a', 'model', :'m', 'deadline', at(40)),
  jsonb_build_object('prompt', 'b', 'model', :'m'),
  jsonb_build_object('prompt', 'c', 'model', :'m', 'deadline', at(50))), at(0)) \g /dev/null
select is(array[has(0, 39), has(39, 41), has(49, 51)], '{f,t,t}', 'many at once note theirs');
select given_task(:'m', deadline => at(80), run_at => at(5)) \g /dev/null
select is(has(60, 100), false, 'one that waits for its time is in no line');
select sluice.wake(at(6)) \g /dev/null
select is(has(60, 100), true, 'before that comes');
select given_worker(array[:'m']) as w \gset
select claimed(:w, 10, at(7)) \g /dev/null
select sluice.rescan_deadlines(:line, at(7)) \g /dev/null
select is(has(0, 1e6), false, 'all are called');
select sluice.unregister_worker(:w, at(8)) \g /dev/null
select is(has(0, 41), true, 'what comes back notes its own');

-- The attack: a task whose deadline is the last of all times, and that waits for its run_at. It
-- stopped wake() for everybody.
select given_task(:'m', deadline => '294276-12-31 23:59:59 UTC', run_at => at(9)),
  given_task(:'m', run_at => at(9)) as other \g /dev/null
select lives_ok($$select sluice.wake(at(10))$$, 'the last of all times is one');
select sluice.rescan_deadlines(:line, at(10)) \g /dev/null
select ok(sluice.has_deadlines(:line, '294276-12-31', 'infinity'), 'which is known');
select sluice.cancel_all(model => :'m', p_now => at(11)), sluice.rescan_deadlines(:line, at(11))
\g /dev/null

select noted() as rows \gset
select sluice.submit_many(jsonb_build_array(
  jsonb_build_object('prompt', 'a', 'model', :'m', 'deadline', at(4000), 'run_at', at(3000))),
  at(12)) \g /dev/null
select is(noted(), :rows::bigint, 'nor of many that wait for their time');

select * from finish();
rollback;
