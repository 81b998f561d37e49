begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) as ts \gset
select claimed(:w, 3) \g /dev/null
select sluice.cancel(t, at(2)) from unnest((:'ts'::bigint[])[1:2]) t \g /dev/null
select array_agg(row(l.place, l.lease)::sluice.ended_call) as ended
from (select row_number() over (order by task_id)::int as place, l as lease from sluice.lease l where worker = :w) l \gset
select is((select array_agg(kind order by task_id) from unnest(sluice.heed_cancellations(
    array[told((:'ts'::bigint[])[1], 'retry'), told((:'ts'::bigint[])[2], 'solved'), told((:'ts'::bigint[])[3], 'retry')], :'ended'))),
  array['cancelled', 'solved', 'retry'], 'not what has ended already, nor what nobody cancelled');
select is_empty(format('select from sluice.cancellation where worker = %s', :w), 'the marks are gone');

select * from finish();
rollback;
