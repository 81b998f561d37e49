begin;
\ir ../../_helpers.sql
select plan(12);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 5) as ids \gset
select is(sluice.probes_now(model_row(:'m'), at(0)), null, 'closed: any number');
select sluice.move_breaker(:id, 'closed', 'open', 'test', at(0));
select is(sluice.probes_now(model_row(:'m'), at(29)), 0, 'open: none');
select is(claimed(:w, 5, at(29)), '{}', 'nothing is claimed');
select is(sluice.probe_at(model_row(:'m'), at(29)), at(30), 'it says when');
select is((select wake_at from sluice.next_work(array[:id], at(29))), at(30),
  'and so does next_work');
select is(cardinality(claimed(:w, 5, at(30))), 1, 'then one probe');
select is((select state from sluice.breaker where model = :id), 'half_open',
  'the breaker is half open');
select is(claimed(:w, 5, at(31)), '{}', 'one at a time');
select is(sluice.probe_at(model_row(:'m'), at(31)), 'infinity', 'until it ends');
select is((select work from sluice.next_work(array[:id], at(31))), false,
  'meanwhile there is no work');
update sluice.worker set dead_at = at(40) where id = :w;
select sluice.recover(null, at(40)) \g /dev/null
select given_worker() as other \gset
select is(cardinality(claimed(:other, 5, at(40))), 1, 'a dead prober holds no slot');
select completed(:other, told((:'ids'::bigint[])[1], 'returned', 2), at(41)) \g /dev/null
select is(cardinality(claimed(:other, 5, at(42))), 1, 'nor does a probe that was never sent');

select * from finish();
rollback;
