begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_queue => 4000, max_attempts => 1) as m \gset
select sluice.task_filter_of(:'m', null, null, null, null, null) as f \gset
select given_tasks(:'m', 1500) as ids \gset
select sluice.end_waiting('queue_' || id_of(:'m'), :'ids', 'cancelled', at(1)) \g /dev/null
update sluice.result set status = 'failed' where task_id = any (:'ids');
select done as d1, next as n1
from sluice.bulk_part('redrive', :'f', null, '-infinity', at(2)) \gset
select cmp_ok(:d1, '<=', 1000, 'a page');
select ok(:'n1' is not null, 'there is a next one');
select done as d2, next is null as is_last
from sluice.bulk_part('redrive', :'f', :'n1', 'infinity', at(2)) \gset
select is(:d1 + :d2, 1500, 'all in two parts');
select ok(:'is_last', 'there is no next one');

select * from finish();
rollback;
