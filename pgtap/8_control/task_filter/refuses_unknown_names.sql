-- sluice.check_filter
begin;
\ir ../../_helpers.sql
select plan(10);

select given_model() as m \gset
select given_route(:'m') as r \gset
create function refusal(p_sql text, out code text, out key text, out hint text) language plpgsql
as $$
begin
  execute p_sql;
exception when others then
  get stacked diagnostics code = returned_sqlstate, key = column_name, hint = pg_exception_hint;
end
$$;
select is((refusal(format('select sluice.%s(%L)', f, 'no-such-model')))::text,
  row('SL001', 'model', sluice.names_text())::text, f || ' refuses a name that is none')
from unnest('{cancel_all,redrive_all,forget_all}'::text[]) f;
select lives_ok(format('select sluice.%s(%L)', f, :'r'), f || ' knows a route')
from unnest('{redrive_all,forget_all}'::text[]) f;
select is((refusal(format('select sluice.%s(metadata => %L)', f, '{}'))).code, 'SL004',
  f || ': an empty object is no condition')
from unnest('{cancel_all,redrive_all,forget_all}'::text[]) f;
select lives_ok(format('select sluice.redrive_all(%L, metadata => %L)', :'m', '{}'),
  'beside another one it says nothing');
select is((refusal('update sluice.settings set default_model = ''no-such-model''')).key,
  'default_model', 'a default is refused alike');

select * from finish();
rollback;
