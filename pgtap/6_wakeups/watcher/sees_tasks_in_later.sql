begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'r') \g /dev/null
select ok(work, 'a task of its route, not yet admitted, is work')
from sluice.next_work(array[id_of(:'m')], at(1));

select * from finish();
rollback;
