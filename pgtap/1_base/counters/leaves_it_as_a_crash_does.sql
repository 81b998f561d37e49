begin;
\set alone
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
create function remade(p_name name, p_start bigint, p_step bigint default 1) returns boolean
  language sql security definer
as $$ select sluice.remake_sequence(p_name, p_start, p_step) $$;
alter function remade owner to sluice_owner;
grant usage on schema :test_schema to sluice_owner;
select ok(remade(('waits_' || id_of(:'m'))::name, 1000000000000000), 'made anew');
select is(sluice.counter('waits', id_of(:'m')), null, 'never set');
select is(nextval(('sluice.waits_' || id_of(:'m'))::regclass), 1000000000000000::bigint,
  'it starts where it did: full');
select is(relpersistence, 'u', 'unlogged') from pg_class
where oid = ('sluice.waits_' || id_of(:'m'))::regclass;
select is(relowner::regrole::text, 'sluice_owner', 'its owner''s') from pg_class
where oid = ('sluice.waits_' || id_of(:'m'))::regclass;

select remade(('ended_by_16_' || id_of(:'m'))::name, 16, 16) \g /dev/null
select is(nextval(('sluice.ended_by_16_' || id_of(:'m'))::regclass)
  + nextval(('sluice.ended_by_16_' || id_of(:'m'))::regclass), 48::bigint, 'by steps as before');
select ok(remade('notify_usage', 1)
  and has_sequence_privilege('sluice_admin', 'sluice.notify_usage', 'select'),
  'who may read it still may: servers read how full the notifications are');
select isnt(obj_description('sluice.notify_usage'::regclass, 'pg_class'), null, 'with its comment');

select * from finish();
rollback;
