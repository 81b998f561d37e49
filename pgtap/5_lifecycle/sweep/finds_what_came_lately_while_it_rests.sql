-- sluice.walk_in_time, sluice.walk_lines, sluice.walk_late, sluice.rescan_late
-- The attack: 200,000 tasks of a tenant beside its open transaction. The walk of the line rested
-- for 20 s and more, and what others committed a second after their submits waited for it.
begin;
\set alone
\ir ../../_helpers.sql
select plan(10);

select given_model() as m, given_model() as other \gset
select given_mark(:'m', at(200)), given_mark(:'other', at(200)) \g /dev/null
select given_row(:'m', at(150), 1), given_row(:'m', at(197), 2), given_row(:'other', at(150), 3)
\g /dev/null
select sluice.note_meter(id_of(:'m'), sluice.meter_for('rescan_line'), at(150), 150, 0) \g /dev/null
select is(sluice.walk_in_time(at(201)), 2, 'a line that rests, and one that does not');
select is(marked(:'m'), at(197), 'of that one what came in the last seconds');
select is(marked(:'other'), at(150), 'of the other all');
select given_mark(:'m', at(204)), given_mark(:'other', at(204)) \g /dev/null
select given_row(:'other', at(202), 4), sluice.note_meter(0, -3, at(200), 100, 0) \g /dev/null
select is(sluice.walk_in_time(at(205)), 1, 'all of them rest');
select is(marked(:'other'), at(202), 'it is found');
select is(sluice.walk_in_time(at(205)), null, 'now nothing is, which says nothing of the rest');
select sluice.note_meter(0, -10, at(200), 100, 0) \g /dev/null
select given_mark(:'other', at(204)) \g /dev/null
select is(sluice.walk_in_time(at(205)), null, 'that walk rests, too, if it took long');
-- Not what is to come: 100,000 cancelled tasks with a run_at cost it 0.2 s beside a held snapshot.
select given_row(:'m', at(500), 10 + n) from generate_series(1, 3000) n \g /dev/null
delete from sluice.queue where task_id > 10;
create function fetched() returns bigint language sql
as $$ select pg_stat_get_xact_blocks_fetched(('sluice.queue_' || min(id))::regclass)
  from sluice.models where name like 'model-' || pg_backend_pid() || '-%' $$;
select fetched() as before \gset
select sluice.rescan_line(id_of(:'m'), at(205), at(200)) \g /dev/null
select cmp_ok(fetched() - :before, '<', 20::bigint, 'nor is what comes after the mark looked at');
select is(sluice.walk_in_time(at(301)), 2, 'after the rests all is walked');
select is(array[marked(:'m'), marked(:'other')], array[at(150), at(150)], 'and found');

select * from finish();
rollback;
