-- sluice.forget_later_gone
begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
create function later(p_model text, p_from int, p_to int, p_tenant text) returns bigint[]
language sql
as $$ with made as (insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(1000), id_of(p_model), 1, 0, 0, 0, p_tenant from generate_series(p_from, p_to) n
      returning task_id)
  select array_agg(task_id) from made $$;
create function noted(p_tenant text) returns boolean language sql
as $$ select exists (select from sluice.mark m
  where m.line = 0 and m.rank = 1 and m.tenant = sluice.tenant_key(p_tenant)) $$;
create function given_later_mark(p_mark timestamptz) returns void language sql security definer
as $$ select sluice.set_mark(0, 0::smallint, 0, p_mark) $$;
delete from sluice.mark where line = 0;
delete from sluice.meter where line = 0 and model in (-2, -3, -9);
-- On 5 pages at most, wherever there is room.
select sluice.take_waiting('later', later(:'m', 1, 5, 'few')),
  sluice.note_later_gone(array_fill('few'::text, array[16])),
  sluice.take_waiting('later', later(:'m', 1001, 5000, 'many')),
  sluice.take_waiting('later', later(:'m', 21, 40, 'waits')), later(:'m', 41, 41, 'waits')
  \g /dev/null
select ok(noted('few') and noted('many') and noted('waits'), 'all three have left something');
select given_later_mark(at(2)) \g /dev/null
select sluice.sweep(at(3)) \g /dev/null
select ok(not noted('few'), 'a few dead rows are no matter');
select ok(noted('many'), 'many are, as long as somebody may see them');
select ok(noted('waits'), 'and who has tasks that wait may leave more');
select is(sluice.mark_of(0, 0::smallint, 0), at(2), 'the mark of all that waits is not concerned');
select sluice.note_meter(0, sluice.meter_for('forget_later_gone'), at(3), 100, 0) \g /dev/null
delete from sluice.later where task_id = 41;
select sluice.in_turn('forget_later_gone', 50, at(4)) \g /dev/null
select ok(noted('waits'), 'meanwhile it rests');

select * from finish();
rollback;
