-- sluice.bounds_deadlines, sluice.within_deadlines
begin;
\ir ../../_helpers.sql
select plan(5);

create function share(p_line int, p_since numeric default null, p_before numeric default null)
returns sluice.claim_share language sql
as $$ select row(p_line, null, at(p_since), at(p_before), null)::sluice.claim_share $$;
create function turn(p_id bigint, p_line int, p_deadline timestamptz) returns sluice.turn
  language sql
as $$ select row(p_id, p_line, 1, 0, 0, null, p_deadline, 4, 1, 0, 0, 0, 0, false)::sluice.turn $$;
create function within(p_since numeric, p_before numeric, p_places int default 10)
returns bigint[] language sql
as $$
  select array(select t.task_id from unnest(sluice.within_deadlines(array[turn(1, -1, at(5)),
    turn(2, -1, at(20)), turn(3, -1, null), turn(4, -2, at(5)), turn(5, -1, at(0))],
    array[share(-1, p_since, p_before), share(-2)], p_places, at(1))) t)
$$;
select is(sluice.bounds_deadlines(array[share(-1), share(2)]), false, 'mostly they do not');
select is(sluice.bounds_deadlines(array[share(-1), share(2, null, 1)]), true, 'one does');
select is(within(10, null), '{2,3,4,5}', 'from a deadline on, or without one; late ones always');
select is(within(2, 10), '{1,4,5}', 'between two');
select is(within(null, null, 2), '{1,2}', 'no more than there are places');

select * from finish();
rollback;
