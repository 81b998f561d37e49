-- sluice.choose, sluice.has_deadlines, sluice.call_price
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(9);

select given_model() as cheap, given_model() as mid, given_model() as fast \gset
select given_choice('cost', :'cheap', :'mid', :'fast') as r \gset
select given_worker(array[:'cheap', :'mid', :'fast']) as w \gset
select price(:'cheap', 1), price(:'mid', 2), price(:'fast', 5) \g /dev/null
select given_speed(:'cheap', 0.05, at(0), 30), given_speed(:'mid', 0.02, at(0), 10),
  given_speed(:'fast', 0.01, at(0), 2) \g /dev/null
select is(sluice.call_price(model_row(:'mid'), at(1)), 2e6::float8, 'a call has a price');
select trickled(:'r', :w, 20) \g /dev/null
select is(calls(:'cheap', :'mid', :'fast'), '{20,0,0}', 'the cheapest takes everything');
-- taken: who takes a task with that deadline.
create function taken(p_route text, p_worker bigint, p_at numeric, p_seconds numeric) returns text
  language plpgsql
as $$
declare
  v_task bigint := given_task(p_route, p_now => at(p_at), deadline => at(p_at + p_seconds));
begin
  for n in 1 .. 3 loop
    perform sluice.claim(p_worker, null, 10, at(p_at));
  end loop;
  return (select m.name from sluice.lease l join sluice.models m on m.id = l.model
    where l.task_id = v_task);
end
$$;
select is(taken(:'r', :w, 3, 60), :'cheap', 'it keeps a deadline in a minute');
select is(taken(:'r', :w, 3, 15), :'mid', 'the next one a deadline in 15 s');
select is(taken(:'r', :w, 3, 5), :'fast', 'the fastest one in 5 s');
select is(taken(:'r', :w, 3, 0.5), :'fast', 'and what none can keep');
select given_task(:'r', p_now => at(4)) as plain, given_task(:'r', p_now => at(4),
  deadline => at(9)) as urgent \gset
select claimed(:w, 1, at(4)), claimed(:w, 1, at(4)), claimed(:w, 1, at(4)), claimed(:w, 5, at(4))
\g /dev/null
select is((select array_agg(m.name order by l.task_id) from sluice.lease l
  join sluice.models m on m.id = l.model where l.task_id in (:plain, :urgent)),
  array[:'cheap', :'fast'], 'of two that wait each goes to its own');
select sluice.pause(:'fast') \g /dev/null
select is(taken(:'r', :w, 5, 5), :'mid', 'not for one that is paused: the next fastest');
select sluice.pause(:'cheap') \g /dev/null
select trickled(:'r', :w, 2, 7) \g /dev/null
select is(calls(:'cheap', :'mid', :'fast'), '{22,4,3}', 'nor for a cheap one');

select * from finish();
rollback;
