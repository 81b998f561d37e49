begin;
\ir ../_helpers.sql
select plan(3);

select lives_ok(format('select sluice.check_keys(%L)', jsonb_build_array((
    select jsonb_object_agg(attname, null) from pg_attribute where attrelid = 'sluice.draft'::regclass and attnum > 0))),
  'every column of a draft is a key');
select throws_like($$select sluice.check_keys('[{"prompt": 1}, {"id": 1}]')$$, '%"id"%', 'another one is named');
select is((error_of($$select sluice.check_keys('[{"id": 1}]')$$)).code, 'SL004', 'SL004');

select * from finish();
rollback;
