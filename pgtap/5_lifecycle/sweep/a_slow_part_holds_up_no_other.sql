-- sluice.sweep, sluice.in_turn, sluice.walk_in_time
-- The attack: 270,000 late tasks of one tenant made the whole sweep rest for a minute, and tasks of
-- others that waited for a budget went on after 103 s.
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_budgets.sql
select plan(6);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_budget('tenant', 'b', 1000) \g /dev/null
select given_task(given_model()) \g /dev/null
-- done: how often each part has been done.
create temporary table done (part text);
grant insert on done to sluice_owner;
create or replace function sluice.expire_due(p_now timestamptz) returns int language sql
as $$ insert into pg_temp.done values ('expiry'); select count(pg_sleep(0.2))::int $$;
create or replace function sluice.settle_cancellations(
  p_now timestamptz, p_tasks bigint[] default null) returns int language sql
as $$ insert into pg_temp.done values ('settling'); select count(pg_sleep(0.2))::int $$;
create or replace function sluice.clean_hints() returns void language sql
as $$ insert into pg_temp.done values ('walk'); select pg_sleep(0.2) $$;
create or replace function sluice.look_at_budgets(p_now timestamptz) returns int language sql
as $$ insert into pg_temp.done values ('budgets') returning 1 $$;
create function done() returns text[] language sql volatile
as $$ select array(select d.part from done d order by 1) $$;

select sluice.sweep(at(0)) \g /dev/null
select is(done(), '{budgets,expiry,settling,walk}', 'each part is done');
truncate done;
select sluice.sweep(at(1)) \g /dev/null
select is(done(), '{budgets}', 'those that took long rest, and hold up no other');
truncate done;
select sluice.sweep(at(9)) \g /dev/null
select is(done(), '{budgets,expiry}', 'expiry ten times as long as it took');
truncate done;
select sluice.sweep(at(60)) \g /dev/null
select is(done(), '{budgets,expiry,settling,walk}', 'the others fifty times');
truncate done;
select sluice.sweep(at(-3600)) \g /dev/null
select is(done(), '{budgets,expiry,settling,walk}', 'a clock that was set back ends each rest');
select sluice.in_turn('expire_due', 1000000, at(100)) \g /dev/null
select is(array[sluice.in_turn('expire_due', 10, at(1899)),
  sluice.in_turn('expire_due', 10, at(1901))], '{null,1}', 'none is longer than half an hour');

select * from finish();
rollback;
