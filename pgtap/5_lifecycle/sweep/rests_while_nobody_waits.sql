begin;
\set alone
\ir ../../_helpers.sql
select plan(11);

-- This test's own transaction has an id, and is_idle passes over it; the rows of other tests are
-- rolled back.
delete from sluice.ready_line;
select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
delete from sluice.ready_line;
select sluice.sweep(at(0)) \g /dev/null
select ok(pg_sequence_last_value('sluice.sweep_rest_id') > 0, 'with nothing to do it rests');
select is(sluice.from_micros(pg_sequence_last_value('sluice.sweep_after')), at(60), 'for a minute');
select is(sluice.sweep(at(1)), -1, 'and says so');
select is(sluice.sweep(at(56)), 0, 'but not at its end');

select given_task(:'m', p_now => at(5)) as t \gset
select given_mark(:'m', at(10)) \g /dev/null
select is(sluice.sweep(at(11)), 1, 'a task that comes ends the rest');
select is(pg_sequence_last_value('sluice.sweep_rest_id'), 0::bigint,
  'it does not rest while a task waits');

select sluice.cancel(:t, at(12)) \g /dev/null
delete from sluice.ready_line;
select given_wait(at(100), given_task(:'m', deadline => at(30), run_at => at(29), p_now => at(13)))
\g /dev/null
delete from sluice.ready_line;
select sluice.sweep(at(14)) \g /dev/null
select is(sluice.from_micros(pg_sequence_last_value('sluice.sweep_after')), at(30),
  'it rests until the next deadline');

insert into sluice.ready_line (line, noted_at) values (id_of(:'m'), at(0));
select sluice.forget_idle_lines(at(15)) \g /dev/null
select is(pg_sequence_last_value('sluice.sweep_after'), 0::bigint,
  'and looks once more when an idle line has been forgotten');

-- What expires is a round's most, or expiry rests itself, for ten times as long as it took.
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'deadline', at(40), 'run_at', at(39))), at(31))
from generate_series(1, 1500) \g /dev/null
select given_wait(at(90), variadic array(select task_id from sluice.later)) \g /dev/null
delete from sluice.ready_line;
select sluice.sweep(at(s)) from unnest('{41,71}'::numeric[]) s \g /dev/null
select ok(not exists (select from sluice.later l where l.deadline = at(40)),
  'it ends all that is late before it rests');
select sluice.note_meter(0, sluice.meter_for('expire_due'), at(102), 10, 0),
  sluice.sweep(at(102)) \g /dev/null
select is(pg_sequence_last_value('sluice.sweep_rest_id'), 0::bigint, 'not while expiry rests');
select sluice.sweep(at(113)) \g /dev/null
select ok(pg_sequence_last_value('sluice.sweep_rest_id') > 0, 'but then');

select * from finish();
rollback;
