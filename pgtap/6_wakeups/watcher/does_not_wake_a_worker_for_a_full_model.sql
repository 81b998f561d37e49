begin;
\ir ../../_helpers.sql
select plan(2);

-- Nothing but the end of a call makes room, and who ended it claims. Another time would make the
-- watcher run in circles.
select given_model(max_in_flight => 1) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 2) \g /dev/null
select (claimed(:w, 1))[1] as t \gset
select results_eq(format('select work, wake_at from sluice.next_work(array[%s], at(1))',
  id_of(:'m')), $$values (false, timestamptz 'infinity')$$, 'full');
select completed(:w, told(:t, 'solved')) \g /dev/null
select ok(work, 'a call has ended: there is work') from sluice.next_work(array[id_of(:'m')], at(1));

select * from finish();
rollback;
