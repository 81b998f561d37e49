begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
update sluice.worker set dead_at = at(0) where id = :w;
insert into sluice.task (id, created_at, model, priority, tenant, prompt)
select -n, at(0), id_of(:'m'), 0, 'default', 'x' from generate_series(1, 1500) n;
insert into sluice.lease (task_id, worker, ready_at, started_at, model, request_bytes, fence, rank,
  attempts, tenant)
select -n, :w, at(0), at(0), id_of(:'m'), 1, 1, 0, 0, 'default' from generate_series(1, 1500) n;
select is(sluice.recover(null, at(1)), 1000, 'a thousand');
select is(sluice.recover(null, at(1)), 500, 'then the rest');
select is((select count(*) from sluice.queue where model = id_of(:'m')), 1500::bigint,
  'all are queued');

select * from finish();
rollback;
