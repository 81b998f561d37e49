-- sluice.deadlines_text, sluice.look_for_deadlines
-- What this transaction deleted is to it as what a held snapshot still sees is to all: each entry
-- of the index is visited, and none is seen.
begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m, given_model() as other \gset
select given_worker(array[:'m']) as w \gset
create function fetched(p_worker bigint, p_max int, p_now timestamptz) returns bigint
  language plpgsql
as $$
declare
  v_queue regclass := 'sluice.queue_' || id_of('model-' || pg_backend_pid() || '-1');
  v_before bigint := pg_stat_get_xact_blocks_fetched(v_queue);
begin
  perform claimed(p_worker, p_max, p_now);
  return pg_stat_get_xact_blocks_fetched(v_queue) - v_before;
end
$$;
select sluice.submit_many((
  select jsonb_agg(jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', 'noisy',
    'deadline', at(1000)))
  from generate_series(1, 3000)), at(0)) \g /dev/null
select sluice.cancel_all(model => :'m', p_now => at(1)) \g /dev/null
select given_task(:'m', p_now => at(2)) \g /dev/null
select ok(sluice.has_deadlines(id_of(:'m'), at(2), 'infinity'), 'some may wait,');
select sluice.sweep(at(3)) \g /dev/null
select ok(not sluice.has_deadlines(id_of(:'m'), at(3), 'infinity'), 'until the sweep has looked');
select given_task(:'m', p_now => at(4), tenant => t) from unnest('{a,b,c}'::text[]) t \g /dev/null
select cmp_ok(fetched(:w, 1, at(5)), '<', 300::bigint, 'a claim of one walks over none');
select cmp_ok(fetched(:w, 10, at(5)), '<', 300::bigint, 'nor one of more');
select given_task(:'m', p_now => at(6)) as late, given_task(:'m', p_now => at(6),
  deadline => at(60)) as soon \gset
select is(claimed(:w, 1, at(7)), array[:soon::bigint], 'the first deadline comes first again');

select given_task(:'m', p_now => at(8), deadline => at(100)) \g /dev/null
select sluice.note_meter(id_of(:'m'), sluice.meter_for('rescan_deadlines'), at(8), 100, 0),
  sluice.rescan_deadlines(id_of(:'m'), at(200)) \g /dev/null
select sluice.note_deadlines(id_of(:'m'), at(300), at(300)) \g /dev/null
select sluice.look_for_deadlines(at(101)) \g /dev/null
select ok(sluice.has_deadlines(id_of(:'m'), at(200), 'infinity'),
  'a line whose look took long is left alone for a while');

select * from finish();
rollback;
