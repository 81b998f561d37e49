begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_task(:'m') as t \gset
select ok(newest_id >= :t and end_id > newest_id, 'beyond the newest id')
from sluice.range_facts();
select results_eq('select ranges, ranges_max, missing from sluice.range_facts()',
  'select count(*)::int, sluice.id_ranges_max(), null::text from sluice.id_range',
  'all ranges have both partitions');

select max(n) as n from sluice.id_range \gset
alter table sluice.result detach partition sluice.result_:n;
select is(missing, 'result_' || :n, 'one that is not attached is missing')
from sluice.range_facts();
drop table sluice.result_:n;
select is(missing, 'result_' || :n, 'and one that is not there')
from sluice.range_facts();

select * from finish();
rollback;
