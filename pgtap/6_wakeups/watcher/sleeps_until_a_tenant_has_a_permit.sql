\set alone
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select given_worker(array[:'m']) as w \gset
select array_agg(given_task(:'m', tenant => :'t') order by n) as tasks
from generate_series(1, 3) n \gset
select claimed(:w, 3, at(1)) \g /dev/null
create temp table looked on commit drop as select * from sluice.take_sleeper_locks(:w,
  '{}', at(1.1));
select ok(not work, 'nothing can begin now') from looked;
select cmp_ok(wake_in_ms, '<=', 1000::bigint, 'within a second his next permit comes') from looked;
select cmp_ok(wake_in_ms, '>', 800::bigint, 'and not before') from looked;
select given_task(:'m', p_now => at(1.2)) \g /dev/null
select ok(work, 'for others there is work') from sluice.take_sleeper_locks(:w,
  (select locks from looked), at(1.3));
select sluice.drop_sleeper_locks(locks) from looked \g /dev/null
select is((sluice.next_work(array[id_of(:'m')], at(2.2))).work, true, 'and then for his');

select * from finish();
rollback;
