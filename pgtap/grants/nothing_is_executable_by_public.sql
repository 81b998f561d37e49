begin;
\ir ../_helpers.sql
select plan(3);

select is_empty($$select p.oid::regprocedure from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
  where p.pronamespace = 'sluice'::regnamespace and a.grantee = 0$$, 'no function');
select is_empty($$select c.oid::regclass from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
  where c.relnamespace = 'sluice'::regnamespace and c.relkind in ('r', 'p', 'v') and a.grantee = 0$$, 'no table and no view');
select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace = 'sluice'::regnamespace and pg_get_userbyid(p.proowner) <> 'sluice_owner'$$, 'sluice_owner owns all');

select * from finish();
rollback;
