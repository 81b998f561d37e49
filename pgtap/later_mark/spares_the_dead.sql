begin;
\ir ../_helpers.sql
select plan(6);

-- A lane of one's own transaction: the others' tests see none.
select given_model() as m \gset
create function make_later() returns void language plpgsql security definer as $$
begin
  perform sluice.make_lanes('later', '{0}');
end
$$;
alter function make_later owner to sluice_owner;
create function later(p_ids int[]) returns void language sql
as $$ insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
      select n, at(n), id_of(current_setting('my.model')), 1, 0, 0, 0, false, 'default' from unnest(p_ids) n $$;
select set_config('my.model', :'m', true) \g /dev/null
select is(sluice.later_mark(), '-infinity', 'at first looks begin at the beginning');
select make_later(), later('{10, 20, 30}') \g /dev/null
select sluice.wake_later(at(15)) \g /dev/null
select cmp_ok(sluice.later_mark(), '<', at(10), 'never past a row that this transaction took');
select sluice.wake_later(at(16)) \g /dev/null
select is(sluice.later_mark(), at(16) - sluice.mark_lag(), 'the next look moves it up to the lag');
select is(sluice.wake_later(at(31)), 2, 'those to come are found');
select later('{5}') \g /dev/null
select sluice.set_mark(id, at(40)) from sluice.lane where line = 'later' \g /dev/null
select is(sluice.first_below_mark('later', 0::smallint, 0, sluice.later_mark()), at(5), 'what was committed late is seen by the sweep');
select sluice.wake_later(at(4)) \g /dev/null
select cmp_ok(sluice.later_mark(), '<=', at(4), 'a clock that was set back takes the mark along');

select * from finish();
rollback;
