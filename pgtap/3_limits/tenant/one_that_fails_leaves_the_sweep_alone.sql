-- sluice.look_at_tenants
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
insert into sluice.unlisted_tenant values ('gone', at(0));
create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
create trigger fail before delete on sluice.unlisted_tenant for each row execute function fail();
create function looked(p_now timestamptz) returns int language sql
as $$ select setval('sluice.sweep_after', 0); select sluice.sweep(p_now) $$;
set local client_min_messages = error;
select setval('sluice.tenants_after', 0), setval('sluice.load_all', last_value)
from sluice.task_id \g /dev/null
select given_task(:'m') as t \gset
update sluice.task set deadline = at(50) where id = :t;
update sluice.queue set deadline = at(50) where task_id = :t;
select lives_ok('select looked(at(100))', 'the sweep is made');
select is((select status from sluice.tasks where id = :t), 'expired', 'and what it did stays');
drop trigger fail on sluice.unlisted_tenant;
select looked(at(110)), looked(at(161)) \g /dev/null
select is((select count(*) from sluice.unlisted_tenant), 0::bigint,
  'a minute later it is tried again');

select * from finish();
rollback;
