begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select is_empty($$select oid::regclass from pg_class where relnamespace = 'sluice'::regnamespace
  and relowner <> 'sluice_owner'::regrole$$, 'tables, views, sequences, those of a new model too');
select is_empty($$select oid::regprocedure from pg_proc where pronamespace = 'sluice'::regnamespace
  and proowner <> 'sluice_owner'::regrole$$, 'functions');
select is_empty($$select oid::regtype from pg_type where typnamespace = 'sluice'::regnamespace
  and typowner <> 'sluice_owner'::regrole$$, 'types');
select is((select nspowner from pg_namespace where nspname = 'sluice'),
  'sluice_owner'::regrole::oid, 'the schema');

select * from finish();
rollback;
