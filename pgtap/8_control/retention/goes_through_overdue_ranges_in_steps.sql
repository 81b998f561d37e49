begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_retention.sql
select plan(8);

update sluice.settings set retention = '1 minute';
select setval('sluice.erase_from', 0, false) \g /dev/null
select given_bounds(erased_tasks => 4, looked_keys => 8) \g /dev/null
-- One range has two tasks, the next has ten, that of the third is young.
create function given_finished(p_id bigint, p_at numeric) returns void language sql
as $$
  insert into sluice.task (id, created_at, model, priority, tenant, prompt)
    values (p_id, at(least(p_at, 1000)), 1, 0, 'default', 'x');
  insert into sluice.result (task_id, created_at, finished_at, fence, attempts, status)
    values (p_id, at(p_at), at(p_at), 1, 1, 'solved')
$$;
select given_finished(n, n) from generate_series(1, 2) n \g /dev/null
select given_finished(1000000 + n, n) from generate_series(1, 10) n \g /dev/null
select given_finished(2000000, 1000) \g /dev/null
create function left_over() returns bigint language sql as $$ select count(*) from sluice.result
  where created_at >= at(0) $$;
select is(sluice.erase_overdue(at(20)), 0, 'nothing in time');
select is(array[sluice.erase_overdue(at(2710)), left_over()], array[2, 11]::bigint[],
  'three quarters of an hour later a range''s');
select is(array[sluice.erase_overdue(at(2710)), left_over()], array[4, 7]::bigint[],
  'then the next one''s, as many as may be');
select is(array[sluice.erase_overdue(at(2710)), left_over()], array[4, 3]::bigint[],
  'on from there');
select is(array[sluice.erase_overdue(at(2710)), left_over()], array[2, 1]::bigint[], 'to its end');
select is(sluice.erase_overdue(at(2710)), 0, 'the young range is left alone');
select is(pg_sequence_last_value('sluice.erase_from'), 0::bigint,
  'the next pass begins with the first');
select given_finished(1000000 + n, case n when 20 then 5 when 1 then 1 else 5000 end)
from generate_series(1, 20) n \g /dev/null
select is(array(select sluice.erase_overdue(at(3701)) from generate_series(1, 3)), array[1, 0, 1],
  'of those that stay only so many are looked at in a round');

select * from finish();
rollback;
