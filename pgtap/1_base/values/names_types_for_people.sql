begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.type_text('int'), 'a whole number up to 2147483647', 'int');
select is(sluice.type_text('interval'), 'a duration', 'interval');
select is(sluice.type_text('inet'), 'a value of type inet', 'others by their names');
select is_empty($$select a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.oid in ('sluice.models'::regclass, 'sluice.tenants'::regclass,
    'sluice.settings'::regclass, 'sluice.task_draft'::regclass)
    and a.attnum > 0 and not a.attisdropped
      and a.atttypid not in ('text'::regtype, 'name'::regtype, 'jsonb'::regtype)
    and sluice.type_text(a.atttypid) like 'a value of type%'$$,
      'no column of ours needs that but texts, which take everything');

select * from finish();
rollback;
