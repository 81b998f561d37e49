begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(sluice.may_hedge(model_row(:'m'), l, at(2)), false, 'not where nobody asked for it')
from sluice.lease l where l.task_id = :t;
select given_hedging(:'m') \g /dev/null
select is(sluice.may_hedge(model_row(:'m'), l, at(2)), true, 'where somebody did')
from sluice.lease l where l.task_id = :t;
select sluice.move_breaker(id_of(:'m'), 'closed', 'half_open', 'probing', at(2)) \g /dev/null
select is(sluice.may_hedge(model_row(:'m'), l, at(2)), false, 'not while its breaker probes')
from sluice.lease l where l.task_id = :t;

select * from finish();
rollback;
