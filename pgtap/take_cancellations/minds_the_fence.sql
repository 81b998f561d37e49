begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) as ts \gset
select claimed(:w, 2) \g /dev/null
select array_agg(l) as leases from sluice.lease l where worker = :w \gset
insert into sluice.cancellation (task_id, worker, at, fence) values ((:'ts'::bigint[])[1], :w, at(1), 1), ((:'ts'::bigint[])[2],
  :w, at(1), 2);
select is(sluice.take_cancellations(:'leases'), array[(:'ts'::bigint[])[1]], 'the mark of this lease, not of one to come');
select is(sluice.take_cancellations(:'leases'), '{}', 'once');

select * from finish();
rollback;
