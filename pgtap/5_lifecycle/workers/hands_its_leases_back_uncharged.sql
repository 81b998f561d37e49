begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_tasks(:'m', 3) as ids \gset
select claimed(:w, 2), claimed(:other, 1) \g /dev/null
select given_mark(:'m', at(1));
select is(sluice.unregister_worker(:w, at(2)), 2, 'two leases');
select is((select array_agg(places(t)) from unnest(:'ids'::bigint[]) t),
  array['queue', 'queue', 'lease'], 'are queued again');
select is((select array_agg(distinct attempts::int) from sluice.queue where model = id_of(:'m')),
  array[0], 'no attempt is charged');
select cmp_ok(marked(:'m'), '<=', at(0), 'no mark hides them');
select is(sluice.in_flight(id_of(:'m')), 1::bigint, 'they are in flight no more');
select throws_ok(format('select * from sluice.claim(%s)', :w), 'SL010', null,
  'it never claims again');
select is(sluice.unregister_worker(:w, at(3)), 0, 'to leave twice is no error');
select is(array[dead_at, seen], array[at(2), at(2)], 'and changes nothing: it was seen to end')
from sluice.worker where id = :w;

select * from finish();
rollback;
