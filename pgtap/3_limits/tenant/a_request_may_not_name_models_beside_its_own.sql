-- sluice.model_list_key, sluice.refuse_model_list: OpenRouter, LiteLLM and others call what such
-- keys name, which may be more than the tenant may use.
begin;
\ir ../../_helpers.sql
select plan(16);

select is(sluice.model_list_key(request), expected, why)
from (values
  ('{"model": "m", "messages": []}', null, 'a plain request'),
  ('{"models": ["x"]}', 'models', 'a list'), ('{"fallbacks": []}', 'fallbacks', 'others to try'),
  ('{"engine": "x"}', 'engine', 'an old name'), ('{"MoDeLs": 1}', 'MoDeLs', 'in any case'),
  ('{"\u006dodels": 1}', 'models', 'and escaped'),
  ('{"fallbac\u212as": 1}', U&'fallbac\212As', 'the Kelvin sign, which is a k to some'),
  ('{"model\u017f": 1}', U&'model\017F', 'a long s'),
  ('{"messages": [{"models": 1}]}', null, 'not the words of a message')
) v(request, expected, why);

select given_model() as m \gset
select 'tenant ' || :'m' as t, 'free ' || :'m' as f \gset
insert into sluice.tenants (name, models) values (:'t', array[:'m']), (:'f', null);
create function tasks(p_tenant text, p_request text) returns jsonb language sql
as $$ select jsonb_build_array(
  jsonb_build_object('request', '{"messages": []}', 'model', current_setting('my.m'), 'tenant',
    p_tenant),
  jsonb_build_object('request', p_request, 'model', current_setting('my.m'), 'tenant',
    p_tenant)) $$;
select set_config('my.m', :'m', true) \gset
select code, message from error_of(format(
  'select sluice.submit(request => ''{"models": ["x"]}'', model => %L, tenant => %L)',
  :'m', :'t')) \gset
select is(:'code' || ' ' || :'message', format(
  'SL009 tenant "%s" may not use every model, and "models" in its request may name any', :'t'),
  'a single task');
select matches((error_of(format('select sluice.submit_many(%L)',
    tasks(:'t', '{"Fallbacks": []}')))).message, '^task 2: tenant .* "Fallbacks" in its request',
  'the second of many');
create function checked(p_cut boolean, p_tenant text, p_request text) returns text language sql
as $$ select (error_of(format('select sluice.check_drafts(array(select sluice.draft_of(d) from
    jsonb_populate_recordset(null::sluice.task_draft, %L) d), %L, now())',
  tasks(p_tenant, p_request), p_cut))).code $$;
select is(checked(true, :'t', '{"engine": "x"}'), 'SL009', 'a line of a batch');
select is(checked(true, :'t', '{"model": "x"}'), null, 'a plain line');
select is(checked(true, :'f', '{"engine": "x"}'), null, 'a tenant of all models');
select lives_ok(format('select sluice.submit_many(%L)', tasks(:'f', '{"models": ["x"]}')),
  'it may name what it likes');
select lives_ok(format('select sluice.submit_many(%L)', tasks(:'t', '{"model": "x"}')),
  'model itself is replaced');

select * from finish();
rollback;
