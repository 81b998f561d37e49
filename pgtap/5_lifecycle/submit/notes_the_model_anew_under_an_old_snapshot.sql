-- sluice.submit
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(2);

-- The note that an old snapshot shows may be gone.
select given_model() as m \gset
select given_task(:'m'), given_task(:'m') \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 2::bigint,
  'what it sees is not believed');
select given_route(:'m') as r \gset
select given_task(:'r') \g /dev/null
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.ready_line where line = own_line(:'r')), 2::bigint,
  'nor for a route');

select * from finish();
rollback;
