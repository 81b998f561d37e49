-- A type may bring functions along: the check of a domain, run by whoever makes a value of it.
begin;
\ir ../_helpers.sql
select plan(2);

select is_empty($$select p.oid::regprocedure from pg_proc p
  where p.pronamespace = 'sluice'::regnamespace and p.prosecdef
  and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    where a.grantee <> p.proowner)
  and exists (select from unnest(p.proargtypes::oid[]) a(type) join pg_type t on t.oid = a.type
    where t.typtype = 'p')$$,
  'none that is granted has a polymorphic or pseudo-type argument');
select isnt_empty($$select from pg_proc p where p.oid = 'sluice.guarded(anyelement)'::regprocedure
  and not p.prosecdef
  and (select typtype from pg_type where oid = p.proargtypes[0]) = 'p'$$,
    'as guarded has one, which runs as its caller');

select * from finish();
rollback;
