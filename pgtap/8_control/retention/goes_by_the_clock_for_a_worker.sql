-- sluice.retain
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_worker() as worker, given_task(given_model()) as task \gset
select claimed(:worker, 1), completed(:worker, told(:task, 'solved', answer => 'x')) \g /dev/null
set local role sluice_worker;
select sluice.retain('2050-01-01') \g /dev/null
reset role;
select is(places(:task), 'solved', 'a worker''s login cannot say that it is time');
-- a round leaves to the next what autovacuum has locked
select sluice.retain('2050-01-01'::timestamptz + n * interval '1 day') from generate_series(1, 20) n
  \g /dev/null
select isnt(places(:task), 'solved', 'an administrator''s can');

select * from finish();
rollback;
