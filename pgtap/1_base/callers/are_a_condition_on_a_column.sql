-- sluice.scope_text
begin;
\ir ../../_helpers.sql
select plan(3);

select given_tenant('sluice_submitter') as one, given_tenant('sluice_submitter') as two \gset
create function scope(p_tenant text default null) returns text language sql security invoker
as $$ select sluice.scope_text('c', p_tenant) $$;
grant execute on function sluice.scope_text(text, text) to public;
grant usage on schema sluice to public;
select is(scope(), 'c <> all (''{}''::text[])', 'an administrator''s');
set local role :"one";
select is(scope(), format('c = any (''{%s}''::text[])', :'one'), 'a tenant''s');
select is(array[scope(:'one'), scope(:'two')], array[format('c = %L', :'one'), 'false'],
  'one that is named');

select * from finish();
rollback;
