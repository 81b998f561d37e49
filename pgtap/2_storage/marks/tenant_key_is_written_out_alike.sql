-- twin: tenant_key
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select is(sluice.tenant_key(t), hashtextextended(t, 0) >> 1, 'the key of ' || t)
from unnest(array['default', 'a tenant']) t;
select is_empty($$
  select n from (select proname::text as n, prosrc as text from pg_proc
    where pronamespace = 'sluice'::regnamespace
    union all select indexname, indexdef from pg_indexes where schemaname = 'sluice') s
  where regexp_replace(text,
    'hashtextextended\((\w+\.)?(p_)?(tenant|name), (''0''::bigint|0|\(0\)::bigint)\) >> 1', '', 'g')
    ~ 'hashtextextended\((\w+\.)?(p_)?(tenant|name)\M'$$, 'functions and indexes spell it alike');

select * from finish();
rollback;
