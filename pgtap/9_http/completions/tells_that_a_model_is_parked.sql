-- sluice.parked
begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m, given_model() as n \gset
select given_route(:'m', :'n') as r \gset
select given_task(:'m') as t, given_task(:'r') as u, given_task(:'m') as v \gset
-- ended: how a completion of these tasks has ended.
create function ended(variadic p_tasks bigint[]) returns text[] language sql
as $$ select array(select c.status from unnest(p_tasks) t
  left join lateral sluice.completion(t) c on true) $$;

select sluice.close_model(:'m', now() + interval '1 hour') \g /dev/null
select is(ended(:t), '{null}', 'one that opens by itself is not parked');
select sluice.close_model(:'m', 'infinity', 'no money') \g /dev/null
select is(ended(:t), '{null}', 'not at once: the task may go to another');
update sluice.task set created_at = clock_timestamp() - interval '11 s'
where id in (:t, :u, :v);
select is(ended(:t, :u), '{parked,null}', 'a parked one is, and no route of which one is open');
update sluice.routes set weight = 0 where route = :'r' and model = :'n';
select is(ended(:u), '{parked}', 'but one where only a parked model has a weight');
update sluice.routes set weight = 1 where route = :'r' and model = :'n';
select sluice.close_model(:'n', 'infinity') \g /dev/null
select is(ended(:u), '{parked}', 'or whose models all are');
select ok(c.error !~ 'money' and c.error_code = 'parked', 'the reason is not told')
from sluice.completion(:t) c;
update sluice.models set closed_until = null where name = :'m';
select given_worker(array[:'m']) as w \gset
select sluice.cancel(:v, at(1)), sluice.claim(:w, array[:'m'], 2, at(1)) \g /dev/null
select sluice.close_model(:'m', 'infinity') \g /dev/null
select is(ended(:t, :u), '{null,null}', 'a call under way may still answer');
select is(ended(:v), '{cancelled}', 'the end of a task comes first');
select is(ended(-1), '{null}', 'no such task');

select * from finish();
rollback;
