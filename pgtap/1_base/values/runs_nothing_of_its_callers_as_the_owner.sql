begin;
\ir ../../_helpers.sql
select plan(3);

select format('admin-%s', pg_backend_pid()) as admin \gset
lock table sluice.queue in share update exclusive mode;
create role :"admin" in role sluice_admin;
set local role :"admin";
-- A domain whose check is a function of the caller's, in a type that has the name of one of
-- Sluice's.
create function pg_temp.evil(v text) returns boolean
  language plpgsql as $$ begin execute v; return true; end $$;
create domain pg_temp.d as text check (pg_temp.evil(value));
create type pg_temp.settings as (default_role pg_temp.d);
select code as forging from error_of($$select sluice.read_record(null::pg_temp.settings,
  jsonb_build_object('default_role',
    'insert into sluice.audit (action) values (''forged'')'))$$) \gset
select message as said from error_of($$select sluice.read_record(null::pg_temp.settings,
  jsonb_build_object('default_role', 'do $do$ begin raise ''%'', current_user; end $do$'))$$) \gset
select is((sluice.read_record(null::sluice.new_key, '{"name": "k"}')).name, 'k',
  'what the front reads');
reset role;
select is(:'forging'::text, '42501', 'a check may not what the caller may not');
select is(:'said'::text, :'admin', 'for it runs as him');

select * from finish();
rollback;
