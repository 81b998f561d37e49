begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select 'backlog_' || id_of(:'m') as line \gset
select given_lanes(:'line', 0) \g /dev/null
select id as lane from sluice.lane where line = :'line' \gset
select sluice.set_mark(:lane, at(9)) \g /dev/null
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, tenant)
values (1, at(5), id_of(:'m'), 1, 0, 0, 0, true, 'default');
select ok(not rung(:'m'), 'nobody has rung');
select sluice.note_put_back(array(select b from sluice.backlog b where model = id_of(:'m')));
select cmp_ok(sluice.mark(:lane), '<', at(5), 'the lane is looked at from there');
select ok(rung(:'m'), 'and somebody is told');

select * from finish();
rollback;
