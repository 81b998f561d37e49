begin;
\ir ../_helpers.sql
select plan(3);

-- Nobody serves the 60 models and their queues are full (max_queue 1), but for the caller's.
select array_agg(given_model(max_queue => 1)) as models from generate_series(1, 60) \gset
select given_model() as m \gset
select given_route(variadic :'models'::text[] || :'m'::text) as r \gset
select given_row(m, at(0)) from unnest(:'models'::text[]) m \g /dev/null
insert into sluice.backlog (task_id, ready_at, request_bytes, fence, rank, attempts, due, route, tenant)
select n, at(0), 1, 0, 0, 0, true, :'r', 'default' from generate_series(1, 40) n;
create function tasks() returns sluice.waiting_task[] language sql
as $$ select array_agg(row(n, 'route_' || r.route, 0, 0, 0, 0, null)::sluice.waiting_task)
      from generate_series(1, 40) n,
        (select route from sluice.routes where route like format('route-%s-%%', pg_backend_pid()) limit 1) r $$;
select s.seats, s.p_rooms from sluice.seats(array[row(id_of(:'m'), 1000, false)::sluice.queue_room], tasks(), at(1)) s \gset
select is(cardinality(:'p_rooms'::sluice.queue_room[]), 32, 'no more than 32 queues are counted');
select is((select count(s) from unnest(:'seats'::int[]) s), 40::bigint, 'then it deals among those it knows');
select is((select array_agg(distinct s) from unnest(:'seats'::int[]) s), array[id_of(:'m')], 'of which one has room');

select * from finish();
rollback;
