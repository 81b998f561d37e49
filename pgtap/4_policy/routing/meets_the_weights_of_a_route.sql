-- sluice.may_take
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(4);

select given_model() as a \gset
select given_model() as b \gset
select given_model() as c \gset
select given_route(:'a', :'b', :'c') as r \gset
update sluice.routes set weight = case model when :'b' then 40 else 30 end where route = :'r';
select given_worker(array[:'a', :'b', :'c']) as w \gset
select given_tasks(:'r', 5000) \g /dev/null
select given_tasks(:'r', 5000) \g /dev/null
select served(:w, array[:'a', :'b', :'c'], 60, 300) \g /dev/null
select is((select count(*) from sluice.result r join sluice.task t on t.id = r.task_id
  where t.route = :'r') > 8000, true, 'no model waits for the others');
select ok(abs(share_of(:'a', :'r') - 30) <= 2, '30 %, within two points');
select ok(abs(share_of(:'b', :'r') - 40) <= 2, '40 %');
select ok(abs(share_of(:'c', :'r') - 30) <= 2, '30 %');

select * from finish();
rollback;
