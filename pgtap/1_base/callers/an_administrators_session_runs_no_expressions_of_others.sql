-- sluice.limited_roles
-- The attack: ANALYZE, of autovacuum as well, runs the expression of an index with the rights of
-- the table's owner, but session_user is a superuser: a tenant's login read all tenants' texts,
-- cancelled and forgot their tasks and submitted as them.
begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
select given_tenant('sluice_submitter') as mine \gset
select given_task(:'m', tenant => 'other') as other,
  given_task(:'m', tenant => :'mine') as own \gset
create schema lair authorization :"mine";
set local role :"mine";
create table lair.seen (what text);
create function lair.tried(p_sql text) returns void language plpgsql as $$
declare
  v_what text;
begin
  begin
    execute p_sql into v_what;
  exception when others then
    v_what := sqlstate;
  end;
  insert into lair.seen values (v_what);
end
$$;
create function lair.look(i int) returns int language plpgsql immutable as $$
begin
  if current_setting('role') = 'none' then  -- not yet, while it is made
    perform lair.tried(s) from unnest(array['select count(*) from sluice.tasks',
      'select sluice.submit(''x'', tenant => ''other'')',
      'select sluice.forget_all(until => ''2100-01-01'')']) s;
  end if;
  return i;
end
$$;
create table lair.bait (i int);
create index on lair.bait (lair.look(i));
insert into lair.bait values (1);
create materialized view lair.kept as select lair.look(1) as i;
reset role;

create function seen() returns text language plpgsql as $$
declare
  v_seen text := (select string_agg(distinct s.what, ' ') from lair.seen s);
begin
  truncate lair.seen;
  return v_seen;
end
$$;
select is(seen(), null, 'nothing has been tried');
analyze lair.bait;
select is(seen(), '42501', 'ANALYZE runs it: refused');
reindex table lair.bait;
select is(seen(), '42501', 'REINDEX');
refresh materialized view lair.kept;
select is(seen(), '42501', 'REFRESH MATERIALIZED VIEW');

select is((select count(*) from sluice.tasks where id = :other), 1::bigint,
  'the administrator himself sees the task');
create materialized view report as select count(*) from sluice.tasks with no data;
select throws_ok('refresh materialized view report', '42501',
  'not in the expressions of indexes and materialized views', 'not in a view that he keeps');
listen sluice_test;
select ok(sluice.is_administrator(), 'in a session that listens, too');

set local role :"mine";
create materialized view lair.own as select s.id from sluice.tasks s;
select is((select array_agg(id) from lair.own), array[:own]::bigint[], 'a tenant keeps its own');
reset role;
set session characteristics as transaction read only;
select ok(sluice.is_administrator(), 'also where nothing may be written');

select * from finish();
rollback;
