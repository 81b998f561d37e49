begin;
\ir ../_helpers.sql
select plan(6);

-- Public: what somebody other than the owner may use.
create temporary view callable as
  select p.oid, array[p.prorettype] || p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}')
    as types
  from pg_proc p where p.pronamespace = 'sluice'::regnamespace
    and exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner);
create temporary view readable as
  select c.oid, c.relname, c.relkind from pg_class c
  where c.relnamespace = 'sluice'::regnamespace
    and exists (select from aclexplode(c.relacl) a where a.grantee <> c.relowner);
create temporary view passed as
  select distinct c.oid, c.reltype from callable f cross join lateral unnest(f.types) t
  left join pg_type e on e.typarray = t
  join pg_class c on c.reltype in (t, e.oid) and c.relkind = 'c';

select is_empty($$select oid::regprocedure from callable
  where coalesce(obj_description(oid, 'pg_proc'), '') = ''$$, 'each function for callers');
select is_empty($$select oid::regclass from readable
  where coalesce(obj_description(oid, 'pg_class'), '') = ''$$, 'each table and view');
select is_empty($$select oid::regclass, a.attname from readable
  join pg_attribute a on a.attrelid = oid and a.attnum > 0 and not a.attisdropped
  where relkind <> 'S' and coalesce(col_description(oid, a.attnum), '') = ''$$,
  'each of their columns');
select is_empty($$select oid::regclass from passed
  where coalesce(obj_description(reltype, 'pg_type'), '') = ''$$,
  'each type that functions take or return');
select is_empty($$select oid::regclass, a.attname from passed
  join pg_attribute a on a.attrelid = oid and a.attnum > 0 and not a.attisdropped
  where coalesce(col_description(oid, a.attnum), '') = ''$$, 'each of their attributes');
select is_empty($$select rolname from pg_roles where rolname like 'sluice\_%'
  and coalesce(shobj_description(oid, 'pg_authid'), '') = ''$$,
  'each role, where who migrates may comment on them');

select * from finish();
rollback;
