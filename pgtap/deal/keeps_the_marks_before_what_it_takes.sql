begin;
\ir ../_helpers.sql
select plan(6);

select given_model() as m \gset
select sluice.set_counter('room', id_of(:'m'), 1000);
select given_tasks(:'m', 10, at(0)), given_tasks(:'m', 10, at(1), -1) \g /dev/null
select given_lanes('backlog_' || id_of(:'m'), 0, 1);
create function marks() returns timestamptz[] language sql
as $$ select array_agg(sluice.mark(l.id) order by l.rank) from sluice.lane l join sluice.models m
      on l.line = 'backlog_' || m.id where m.name like format('model-%s-%%', pg_backend_pid()) $$;
select is(sluice.admit(:'m', 5, at(10)), 5, 'five are taken from the first lane');
select is(marks(), array[at(0) - interval '1 microsecond', at(1) - interval '1 microsecond'], 'the marks stay before the first rows seen');
select is(sluice.admit(:'m', 10, at(11)), 10, 'ten more');
select is(sluice.admit(:'m', 10, at(12)) + sluice.admit(:'m', 10, at(13)), 5, 'the rest');
select is(marks(), array[at(12.75), at(12.75)], 'and both marks move up to the lag');
select is(sluice.depth(id_of(:'m'), 100), 20, 'none was lost on the way');

select * from finish();
rollback;
