begin;
\ir ../../_helpers.sql
select plan(2);

select set_eq($$ select attname::text from pg_attribute
    where attrelid = any ('{sluice.models,sluice.tenants,sluice.settings}'::regclass[])
      and attname = any (sluice.hidden_columns()) $$,
  array(select unnest(sluice.hidden_columns())), 'each is a column');
select is(sluice.configure('models', given_model(), '{"rpm": 60}',
  false) ?| sluice.hidden_columns(), false, 'which is not shown');

select * from finish();
rollback;
