-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(2);

select (error_of($$ insert into sluice.models (name, url, api)
  values ('x', 'http://127.0.0.1:1', 'openai') $$)).hint \gset
select is((select array_agg(a[1] order by a[1])
    from regexp_matches(pg_get_constraintdef(c.oid), '''([a-z-]+)''', 'g') a),
  (select array_agg(a[1] order by a[1]) from regexp_matches(:'hint', '([a-z-]+)[,.]', 'g') a),
    'the same list twice')
from pg_constraint c where conname = 'api_is_known' and conrelid = 'sluice.models'::regclass;
select throws_ok($$ insert into sluice.models (name, url, api)
  values ('x', 'http://127.0.0.1:1', 'openai') $$, '23514',
  'there is no api "openai"', 'another one is refused by name');

select * from finish();
rollback;
