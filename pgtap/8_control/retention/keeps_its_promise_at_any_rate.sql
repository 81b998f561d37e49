begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_retention.sql
select plan(8);

-- The promise: settings.retention from a task's end, and at most an hour or a tenth of it longer.
select given_model() as m \gset
-- lived: p_times times, every p_every from at(0) on, submits p_tasks, cancels them and has a round
-- of retention; then p_idle rounds more. Returns how many are left, the longest that one was kept
-- after its end, and the most ranges that there were.
create function lived(p_model text, p_tasks int, p_every interval, p_times int, p_idle int,
  out left_over bigint, out kept interval, out ranges bigint) language plpgsql
as $$
declare
  v_now timestamptz := at(0);
  v_first timestamptz;
begin
  kept := interval '0';
  ranges := 0;
  for v_n in 1 .. p_times + p_idle loop
    if v_n <= p_times then
      perform sluice.cancel(id, v_now) from unnest(given_tasks(p_model, p_tasks, v_now)) id;
    end if;
    perform setval('sluice.retain_after', 0, false);
    perform sluice.retain(v_now);
    v_now := v_now + p_every;
    select min(finished_at), count(*) into v_first, left_over from sluice.result
    where finished_at >= at(0);
    kept := greatest(kept, v_now - v_first);
    ranges := greatest(ranges, (select count(*) from sluice.id_range));
  end loop;
end
$$;
lock table sluice.task, sluice.result in access exclusive mode;
select last_value as before, is_called from sluice.task_id \gset
update sluice.settings set retention = '1 minute';
select * from lived(:'m', 3, '1 minute', 240, 70) \gset minute_
select is(:minute_left_over, 0, 'a retention of a minute: all of them go, the last ones, too');
select cmp_ok(:'minute_kept'::interval, '<=', interval '1 hour 1 minute', 'within an hour of it');
select cmp_ok(:minute_ranges, '<=', 6, 'in few ranges');
update sluice.settings set retention = '30 days';
select * from lived(:'m', 5, '6 hours', 200, 150) \gset month_
select is(:month_left_over, 0, 'a retention of a month');
select cmp_ok(:'month_kept'::interval, '<=', interval '33 days', 'within a tenth of it');
select cmp_ok(:month_ranges, '<=', 21, 'in some twenty ranges');
-- Nothing can be dropped: ten thousand and one tasks are unfinished, here two.
select given_bounds(kept_tasks => 1) \g /dev/null
select cardinality(given_tasks(:'m', 2, at(0))) \g /dev/null
update sluice.settings set retention = '1 minute';
select * from lived(:'m', 3, '1 minute', 240, 70) \gset stuck_
select is(:stuck_left_over, 0, 'beside tasks that stay unfinished: all others go');
select cmp_ok(:'stuck_kept'::interval, '<=', interval '1 hour 1 minute', 'in time');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
