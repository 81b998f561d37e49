-- sluice.submit
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(4);

-- The note that an old snapshot shows may be gone.
select given_model() as m \gset
insert into sluice.ready_line (line, noted_at) values (id_of(:'m'), clock_timestamp());
select given_task(:'m') \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 2::bigint,
  'what it sees is not believed');
select given_task(:'m') \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 2::bigint,
  'its own note is enough for 5 s');
select given_route(:'m') as r \gset
insert into sluice.ready_line (line, noted_at) values (own_line(:'r'), clock_timestamp());
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.ready_line where line = own_line(:'r')), 2::bigint,
  'nor for a route');
savepoint before;
select set_config('sluice.noted_' || id_of(:'m'), '', true) \g /dev/null
select given_task(:'m') \g /dev/null
rollback to before;
select set_config('sluice.noted_' || id_of(:'m'), '', true) \g /dev/null
select given_task(:'m') \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 3::bigint,
  'a note that was taken back is made again');

select * from finish();
rollback;
