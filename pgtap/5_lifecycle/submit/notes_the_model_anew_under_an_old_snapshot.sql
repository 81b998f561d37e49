-- sluice.submit
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
create function notes(p_name text) returns bigint language sql
as $$ select count(*) from sluice.ready_line where line = own_line(p_name) $$;
select given_task(:'m') \g /dev/null
select is(notes(:'m'), 1::bigint, 'it is noted');
select given_task(:'m') \g /dev/null
select is(notes(:'m'), 1::bigint, 'its own note is enough');
select given_route(:'m') as r \gset
select given_task(:'r'), given_task(:'r') \g /dev/null
select is(notes(:'r'), 1::bigint, 'for a route, too');
delete from sluice.ready_line where line = id_of(:'m');
savepoint before;
select set_config('sluice.noted_' || id_of(:'m'), '', true) \g /dev/null
select given_task(:'m') \g /dev/null
rollback to before;
select set_config('sluice.noted_' || id_of(:'m'), '', true) \g /dev/null
select given_task(:'m') \g /dev/null
select is(notes(:'m'), 1::bigint, 'a note that was taken back is made again');

select * from finish();
rollback;
