begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
select given_lanes(:'line', 0) \g /dev/null
select id as lane from sluice.lane where line = :'line' \gset
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
select nextval('sluice.task_id'), at(n), id_of(:'m'), 1, 0, 0, 0, true, t from unnest(array['default', 'other']) t, generate_series(5, 9) n;
select is((select array_agg(h.ready_at) from unnest(sluice.waiting_lanes(array[:'line'], at(60))) h), array[at(5), at(5)],
  'the head of each lane');
select is(sluice.mark(:lane), at(5) - interval '1 microsecond', 'before which nothing is looked at any more');
select is(sluice.waiting_lanes('{}', at(60)), '{}', 'of no line none');

select * from finish();
rollback;
