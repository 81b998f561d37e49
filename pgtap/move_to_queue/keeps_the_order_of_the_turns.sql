begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select id_of(:'m') as id \gset
select sluice.set_counter('room', :id, 1000) \g /dev/null
select given_tasks(:'m', 4) as ts \gset
select sluice.set_counter('room', :id, 0) \g /dev/null
select array_agg(row(t, 'backlog_' || :id, 0, -3, 0, 0, null)::sluice.waiting_task order by t desc) as turns
from unnest((:'ts'::bigint[])[1:3]) t \gset
select is((select count(*) from sluice.move_to_queue(:id, :'turns', array[:id, null, :id], at(5))), 2::bigint, 'those with this seat');
select is(queued(:'m'), array[(:'ts'::bigint[])[3], (:'ts'::bigint[])[1]], 'in the order of the turns, not of their ids');
select is((select array_agg(distinct rank) from sluice.queue where model = :id), array[-3]::smallint[],
  'with the rank that they have earned');
select is(sluice.counter('room', :id), 2::bigint, 'they take room as submits do');
select is((select count(*) from sluice.move_to_queue(:id, :'turns', array[:id, null, :id], at(6))), 0::bigint, 'once');

select * from finish();
rollback;
