begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
create function later(p_model text, p_ids int[]) returns void language sql
as $$ insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(n), id_of(p_model), 1, 0, 0, 0, 'default' from unnest(p_ids) n $$;
create function given_later_mark(p_mark timestamptz) returns void language sql security definer
as $$ select sluice.set_mark(0, 0::smallint, 0, p_mark) $$;
delete from sluice.mark where line = 0;
select is(sluice.mark_of(0, 0::smallint, 0), '-infinity', 'at first looks begin at the beginning');
select later(:'m', array(select n from generate_series(10, 209) n)) \g /dev/null
select is(sluice.wake(at(300)), 200, 'so many at once set a mark');
select is(sluice.mark_of(0, 0::smallint, 0), at(10), 'never past a row that this transaction took');
select given_later_mark(at(400)), later(:'m', '{5}') \g /dev/null
select is(sluice.wake(at(401)), 0, 'what is committed late lies below it');
select is(sluice.rescan_line(0, at(401)) + sluice.wake(at(401)), 2,
  'until the sweep has found it');

select * from finish();
rollback;
